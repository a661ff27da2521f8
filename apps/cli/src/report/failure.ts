import { CommanderError } from "commander";

import { exitCodes } from "../exit-codes.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { forTerminal, oneLine } from "./safe-text.ts";
import { failedReport } from "./json.ts";

/** Tells of a command that could not be carried out, as JSON too where that was asked for; returns the exit code. */
export function tellFailure(
  error: unknown,
  json: boolean,
  streams: Streams,
  /** The command whose help says what it takes. */
  command = "nestbox",
): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  // Words are missing, and the help that says which has been written.
  if (error instanceof CommanderError && error.code === "commander.help") {
    const message = `${command} wants a command behind it`;
    if (json) writeJsonLine(streams, failedReport({ kind: "usage", name: "UsageError", message }));
    return exitCodes.usage;
  }
  const failure = failureOf(error);
  if (json) writeJsonLine(streams, failedReport(failure));
  // It repeats words that somebody typed or that stand in a file; some messages have several lines.
  const message =
    failure.kind === "fleet" ? oneLine(failure.message, 2_000) : forTerminal(failure.message, true);
  streams.stderr.write(
    `nestbox: ${message}\n${error instanceof CommanderError ? `Try: ${command} --help\n` : ""}`,
  );
  return failure.exitCode;
}

interface Failure {
  readonly kind: "usage" | "script" | "sandbox" | "fleet" | "aborted";
  readonly name: string;
  readonly message: string;
  readonly exitCode: number;
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  if (error instanceof CommanderError || codeOf(error) === "usage") {
    return { kind: "usage", name: "UsageError", message, exitCode: exitCodes.usage };
  }
  if (codeOf(error) === "script")
    return { kind: "script", name: "SyntaxError", message, exitCode: exitCodes.script };
  if (codeOf(error) === "aborted")
    return { kind: "aborted", name: "AbortError", message, exitCode: exitCodes.aborted };
  if (codeOf(error) === "fleet") {
    const misused = (error as { readonly kind?: unknown }).kind === "misuse";
    return misused
      ? { kind: "usage", name: "UsageError", message, exitCode: exitCodes.usage }
      : { kind: "fleet", name: "FleetError", message, exitCode: exitCodes.fleet };
  }
  return { kind: "sandbox", name: "Error", message, exitCode: exitCodes.sandbox };
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
