import { basename, isAbsolute, relative } from "node:path";

import { createTrace } from "@nestbox/calls";
import {
  createDiscovery,
  parseScriptSource,
  type ScriptOutcome,
  type ScriptRequest,
  type ScriptRunner,
} from "@nestbox/codemode";
import { recordRun } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";
import type { ToolCaller } from "@nestbox/tool";

import type { PolicyFiles } from "../compose/gate.ts";
import { type WithConfig, withConfig } from "../config/with-config.ts";
import { type HostChoice, openConfiguredHost } from "../compose/open-host.ts";
import { scriptSource } from "../compose/read-script.ts";
import { openRecordingFile } from "../compose/recording-file.ts";
import { ScriptSourceError } from "../compose/script-source-error.ts";
import { terminalApprover } from "../compose/terminal-approver.ts";
import { openTraceFile } from "../compose/trace-file.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { allowHints } from "../report/allow-hints.ts";
import { colorsFor } from "../report/colors.ts";
import { runReport } from "../report/json.ts";
import { createLiveTree } from "../report/live-tree.ts";
import { writeRunReport } from "../report/run-report.ts";

export interface RunOptions extends HostChoice {
  readonly json?: boolean;
  readonly eval?: string;
  readonly trace?: string;
  readonly record?: string;
  readonly watch?: boolean;
}

/** `nestbox run`: runs one script against a namespace of tools, every call decided. Returns the exit code. */
export async function run(
  script: string | undefined,
  given: RunOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const source = await scriptSource(script, given.eval, process.cwd(), streams.stdin, signal);
  const configured = withConfig(given, process.cwd());
  const { memoryMb, node } = configured;
  const runner = createRunner({
    maxProcesses: 1,
    ...(node === undefined ? {} : { nodePath: node }),
    ...(memoryMb === undefined ? {} : { limits: { memoryMb } }),
  });
  try {
    // Its process comes up while the tools do; why it does not is told when the script wants it.
    runner.warm().catch(() => undefined);
    return await runWith({ runner, script, source, given, configured }, streams, signal);
  } finally {
    await runner.close();
  }
}

async function runWith(
  {
    runner,
    script,
    source,
    given,
    configured,
  }: {
    readonly runner: ScriptRunner;
    readonly script: string | undefined;
    readonly source: string;
    readonly given: RunOptions;
    readonly configured: WithConfig<RunOptions>;
  },
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  // Without a file nobody reads the results.
  const trace = createTrace(given.trace === undefined ? { maxResultChars: 0 } : {});
  // A person may stop the script at a question, too.
  const stopped = new AbortController();
  const ending = AbortSignal.any([signal, stopped.signal]);
  const stop = (why: string) => (): void => stopped.abort(new Error(why));
  const approver = terminalApprover(streams, script === "-", stop("interrupted"));
  await using opened = await openConfiguredHost(given, configured, {
    streams,
    signal: ending,
    approver,
    onStop: stop("stopped at a question"),
    onEvent: trace.onEvent,
  });
  const { host, policy, options, start } = opened;
  const parsed = parseScriptSource(source);
  if (!parsed.ok) throw new ScriptSourceError(parsed.message);

  const live =
    options.json === true
      ? undefined
      : createLiveTree({
          stream: streams.stderr,
          colors: colorsFor(streams.stderr, process.env),
          trace: () => trace.trace(),
          pauses: host.pauses,
        });
  if (live !== undefined) host.subscribe(live.onEvent);
  trace.beginScript({ name: nameOf(script), text: source });
  const traceFile =
    options.trace === undefined ? undefined : openTraceFile(options.trace, start, () => trace.trace());
  if (traceFile !== undefined) host.subscribe(() => traceFile.touch());
  const keep = options.record === undefined ? undefined : openRecordingFile(options.record, start);
  let outcome: ScriptOutcome;
  try {
    await using caller = host.caller({ callId: "run", toolName: "nestbox run", signal: ending });
    const timeoutMs = options.timeoutMs ?? parsed.options.timeoutMs;
    const discovery = createDiscovery(caller.tools);
    const request: ScriptRequest = {
      code: parsed.code,
      caller,
      globals: discovery.globals,
      describe: discovery.describe,
      signal: ending,
      onEvent: (event) => {
        trace.onScriptEvent(event);
        traceFile?.touch();
      },
      limits: timeoutMs === undefined ? {} : { timeoutMs },
    };
    if (keep === undefined) outcome = await runner.run(request);
    else {
      // Lent, not given: a recording closes a caller that can be closed after the first call.
      const lent: ToolCaller = {
        tools: caller.tools,
        pauses: host.pauses,
        executeTool: (name, args, callOptions) => caller.executeTool(name, args, callOptions),
      };
      const recorded = await recordRun({ runner, request: { ...request, caller: lent } });
      outcome = recorded.outcome;
      keep(recorded.recording);
    }
    trace.endScript(outcome);
  } finally {
    live?.close();
    await runner.close();
    traceFile?.close();
  }

  const policyFiles = filesOf(options.policyFiles, start);
  if (options.json === true)
    writeJsonLine(streams, runReport(outcome, opened.answers, opened.dryRun?.wouldDeny()));
  else {
    writeRunReport(
      {
        outcome,
        trace: trace.trace(),
        name: nameOf(script),
        policyFiles,
        answers: opened.answers,
        ...(opened.dryRun === undefined ? {} : { wouldDeny: opened.dryRun.wouldDeny() }),
        hints: allowHints({
          calls: trace.trace().calls,
          layers: policy.layers(),
          policyFiles,
          asked: approver !== undefined,
          fileName: (path) => nearName(path, start),
        }),
      },
      streams,
    );
  }
  return outcome.ok ? exitCodes.ok : exitCodeOf(outcome.error.kind);
}

/** As they are called from where the command was started. */
function filesOf({ policy = [], project = [] }: PolicyFiles, start: string): readonly string[] {
  return [...policy, ...project].map((file) => nearName(file, start));
}

function nearName(file: string, start: string): string {
  return isAbsolute(file) && !relative(start, file).startsWith("..") ? relative(start, file) : file;
}

function nameOf(script: string | undefined): string {
  if (script === undefined) return "--eval";
  return script === "-" ? "standard input" : basename(script);
}
