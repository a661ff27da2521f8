import { inspect } from "node:util";

import { createDiscovery, type ScriptEvent, type ScriptLimits } from "@nestbox/codemode";
import { createRunner } from "@nestbox/codemode/node";

import { type HostChoice, openHost } from "../compose/open-host.ts";
import { terminalApprover } from "../compose/terminal-approver.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Interrupts } from "../interrupts.ts";
import type { Streams } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { duration } from "../report/human.ts";
import { forTerminal, oneLine } from "../report/safe-text.ts";
import { createCompleter } from "../repl/completer.ts";
import { historyFile, readHistory, writeHistory } from "../repl/history.ts";
import { pipedLines, terminalLines } from "../repl/lines.ts";
import { readEntry } from "../repl/read-entry.ts";
import { type Answer, type Session, startSession } from "../repl/session.ts";

export interface ReplOptions extends HostChoice {
  readonly history: boolean;
}

/** Processor time of a session: entries together, and each of them. */
const CPU_MS = 600_000;
const HELP =
  "Statements and expressions, await and types included; _ is the last value. Ctrl-C stops an entry.\n.reset forgets what was declared, .exit or Ctrl-D ends.";

/** `nestbox repl`: entry by entry in one sandbox, every call decided. Exit code 1 when an entry of a pipe failed. */
export async function repl(
  given: ReplOptions,
  streams: Streams,
  signal: AbortSignal,
  interrupts?: Interrupts,
): Promise<number> {
  const interactive = streams.stdin.isTTY === true && streams.stdout.isTTY === true;
  const say = (message: string): void => void streams.stderr.write(`${message}\n`);
  let session: Session | undefined;
  const interrupt = (): void => session?.interrupt();
  await using opened = await openHost(given, {
    streams,
    signal,
    approver: terminalApprover(streams, false, interrupt),
    onStop: interrupt,
  });
  const { host, options } = opened;
  await using caller = host.caller({ callId: "repl", toolName: "nestbox repl", signal });
  const runner = createRunner({
    maxProcesses: 1,
    ...(options.node === undefined ? {} : { nodePath: options.node }),
  });

  const declared = new Set<string>();
  const file = historyFile(process.env);
  const namespaces = caller.tools.flatMap(({ namespace }) => namespace?.name ?? []);
  const keep = (lines: readonly string[]): void => {
    if (options.history) writeHistory(file, lines);
  };
  const lines = interactive
    ? terminalLines(
        streams,
        options.history ? readHistory(file) : [],
        createCompleter(createDiscovery(caller.tools), namespaces, () => declared),
        keep,
      )
    : pipedLines(streams);
  const limits: Partial<ScriptLimits> = {
    cpuMs: CPU_MS,
    ...(options.memoryMb === undefined ? {} : { memoryMb: options.memoryMb }),
  };
  const onEvent = (event: ScriptEvent): void => tellEvent(event, streams);
  const open = () => startSession({ runner, caller, limits, onEvent });
  session = open();
  let failed = false;
  let typed = "";
  try {
    if (interactive) say(HELP);
    while (!signal.aborted) {
      const line = await lines.next(typed === "" ? "> " : "… ");
      if (line.kind === "end") {
        if (typed.trim() !== "") failed = true;
        break;
      }
      if (line.kind === "cancelled") {
        typed = "";
        continue;
      }
      if (typed === "" && line.text.trim().startsWith(".")) {
        const word = line.text.trim();
        if (word === ".exit") break;
        if (word === ".reset") {
          await session.close();
          session = open();
          declared.clear();
        } else say(HELP);
        continue;
      }
      typed = typed === "" ? line.text : `${typed}\n${line.text}`;
      if (typed.trim() === "") {
        typed = "";
        continue;
      }
      const entry = readEntry(typed);
      if (entry.kind === "incomplete") continue;
      typed = "";
      if (entry.kind === "wrong") {
        failed = true;
        say(`SyntaxError: ${oneLine(entry.message)}`);
        continue;
      }
      for (const name of entry.names) declared.add(name);
      const release = interrupts?.take(interrupt);
      const answer = await session.evaluate(entry.code).finally(release);
      failed = tellAnswer(answer, streams) || failed;
      if (answer.kind === "ended") {
        session = open();
        declared.clear();
      }
    }
  } finally {
    lines.close();
    await session.close();
    await runner.close();
  }
  if (signal.aborted && !interactive) return exitCodes.aborted;
  return failed && !interactive ? exitCodes.script : exitCodes.ok;
}

function tellEvent(event: ScriptEvent, streams: Streams): void {
  if (event.type === "output") {
    const { item } = event;
    const text = item.type === "image" ? `[image ${item.mimeType}]` : item.text;
    streams.stdout.write(`${forTerminal(text, streams.stdout.isTTY)}\n`);
  } else if (event.type === "call" && event.call.status !== "running") {
    const colors = colorsFor(streams.stderr, process.env);
    const { name, status, durationMs, decision } = event.call;
    const rule =
      status === "denied" && decision !== undefined ? ` by ${decision.rule} (${decision.layer})` : "";
    streams.stderr.write(
      `${colors.dim(`· ${oneLine(name)} ${status}${rule} ${duration(durationMs)}`.trimEnd())}\n`,
    );
  }
}

/** Whether the entry failed. */
function tellAnswer(answer: Answer, streams: Streams): boolean {
  const colors = colorsFor(streams.stderr, process.env);
  const complain = (message: string): true => {
    streams.stderr.write(`${colors.red(message)}\n`);
    return true;
  };
  switch (answer.kind) {
    case "value": {
      if (answer.type === "undefined") return false;
      const isData = answer.value !== undefined;
      const { isColorSupported } = colorsFor(streams.stdout, process.env);
      const text = isData
        ? inspect(answer.value, {
            colors: isColorSupported,
            depth: 6,
            maxArrayLength: 100,
            maxStringLength: 10_000,
          })
        : `[${oneLine(answer.type)}]`;
      streams.stdout.write(`${text}\n`);
      return false;
    }
    case "error":
      return complain(`${oneLine(answer.name)}: ${oneLine(answer.message, 2_000)}`);
    case "interrupted":
      return complain("Interrupted.");
    case "ended":
      return complain(
        answer.error === undefined
          ? "The session ended; what was declared is gone."
          : `${oneLine(answer.error.name)}: ${oneLine(answer.error.message, 2_000)} (${answer.error.kind}); what was declared is gone.`,
      );
  }
}
