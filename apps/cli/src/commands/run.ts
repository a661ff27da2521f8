import { statSync } from "node:fs";
import { basename, resolve } from "node:path";

import { createToolHost } from "@nestbox/calls";
import { createDiscovery, parseScriptSource, type ScriptOutcome } from "@nestbox/codemode";
import { createRunner } from "@nestbox/codemode/node";
import { dangers } from "@nestbox/policy";
import { createReviewTools } from "@nestbox/review/node";
import pc from "picocolors";

import { openGate } from "../compose/gate.ts";
import { loadToolModule } from "../compose/load-tools.ts";
import { readScript } from "../compose/read-script.ts";
import { terminalApprover } from "../compose/terminal-approver.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { decisionLines, errorLines, outputText, treeLines } from "../report/human.ts";
import { runReport } from "../report/json.ts";
import { createCallTree } from "../report/tree.ts";
import { UsageError } from "../usage-error.ts";

export interface RunOptions {
  readonly json?: boolean;
  readonly tools?: readonly string[];
  readonly policy?: readonly string[];
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly cwd?: string;
  readonly node?: string;
}

/** The script cannot begin: it is empty, or its options line is wrong. */
export class ScriptSourceError extends Error {
  override readonly name = "ScriptSourceError";
  readonly code = "script";
}

/** `nestbox run <script>`: runs one script against a namespace of tools, every call decided. Returns the exit code. */
export async function run(
  script: string,
  options: RunOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const start = process.cwd();
  const cwd = workingFolder(options.cwd, start);
  const source = await readScript(script, start, streams.stdin);
  const moduleTools = await Promise.all(
    (options.tools ?? []).map(async (name) => loadToolModule(name, start)),
  );
  const approver = terminalApprover(streams, script === "-");
  const warn = (message: string): void => void streams.stderr.write(`nestbox: ${message}\n`);
  const { gate, policy } = openGate({
    files: options.policy === undefined ? {} : { policy: options.policy },
    start,
    cwd,
    onError: warn,
    ...(approver === undefined ? {} : { approver }),
  });
  const parsed = parseScriptSource(source);
  if (!parsed.ok) throw new ScriptSourceError(parsed.message);

  const tree = createCallTree();
  await using host = createToolHost({ cwd, gate, onEvent: tree.listen });
  if (options.tools === undefined) {
    for (const tool of createReviewTools({ dangers: dangers(policy.layers()), cwd }))
      host.register(tool, { source: { kind: "module" } });
  } else {
    for (const [index, tools] of moduleTools.entries()) {
      const path = options.tools[index];
      for (const tool of tools)
        host.register(tool, { source: { kind: "module", ...(path === undefined ? {} : { path }) } });
    }
  }

  const runner = createRunner({
    maxProcesses: 1,
    ...(options.node === undefined ? {} : { nodePath: options.node }),
  });
  let outcome: ScriptOutcome;
  try {
    await using caller = host.caller({ callId: "run", toolName: "nestbox run", signal });
    const timeoutMs = options.timeoutMs ?? parsed.options.timeoutMs;
    outcome = await runner.run({
      code: parsed.code,
      caller: {
        tools: caller.tools,
        pauses: gate.pauses,
        executeTool: (name, args, callOptions) => caller.executeTool(name, args, callOptions),
      },
      globals: createDiscovery(caller.tools).globals,
      signal,
      limits: {
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(options.memoryMb === undefined ? {} : { memoryMb: options.memoryMb }),
      },
    });
  } finally {
    await runner.close();
  }

  if (options.json === true) writeJsonLine(streams, runReport(outcome));
  else writeReport(streams, script, outcome, tree, options.policy ?? []);
  return outcome.ok ? exitCodes.ok : exitCodeOf(outcome.error.kind);
}

function workingFolder(given: string | undefined, start: string): string {
  const cwd = resolve(start, given ?? ".");
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`--cwd ${given}: there is no such folder.`);
  }
  return cwd;
}

function writeReport(
  streams: Streams,
  script: string,
  outcome: ScriptOutcome,
  tree: ReturnType<typeof createCallTree>,
  policyFiles: readonly string[],
): void {
  const err = pc.createColors(streams.stderr.isTTY === true && pc.isColorSupported);
  const name = script === "-" ? "standard input" : basename(script);
  const policy = policyFiles.length === 0 ? "annotation default" : policyFiles.join(", ");
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0)
      streams.stderr.write(`${err.bold(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`);
  };
  section(`Policy: ${policy}`, decisionLines(tree.roots, err));
  const dropped = tree.dropped() === 0 ? [] : [err.dim(`and ${tree.dropped()} more calls`)];
  section(`Calls of ${name}`, [...treeLines(tree.roots, err), ...dropped]);
  section(
    "Warnings",
    outcome.warnings.map((warning) => err.yellow(warning.message)),
  );
  section(
    outcome.ok ? err.green("Script completed") : err.red("Script failed"),
    errorLines(outcome, name, err),
  );
  const printed = outputText(outcome.output);
  if (printed !== "") streams.stdout.write(`${printed}\n`);
  if (outcome.ok && outcome.value !== undefined) {
    const { value } = outcome;
    streams.stdout.write(`${typeof value === "string" ? value : JSON.stringify(value, null, 2)}\n`);
  }
}
