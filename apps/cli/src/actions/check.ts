import { basename } from "node:path";

import { parseScriptSource } from "@nestbox/codemode";
import { createScriptChecker } from "@nestbox/codemode/node";

import { openCatalog } from "../compose/open-catalog.ts";
import { readScript } from "../compose/read-script.ts";
import { ScriptSourceError } from "../compose/script-source-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { pointed } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";

export interface CheckOptions {
  readonly json?: boolean;
  readonly tools?: readonly string[];
  readonly extension?: readonly string[];
  readonly cwd?: string;
  readonly config?: string;
  readonly timeoutMs?: number;
}

/**
 * `nestbox check`: types of a script against the declarations of the tools; nothing of it is run. Exit code 1 for a
 * faulty script, 5 where it could not be checked.
 */
export async function check(
  script: string,
  options: CheckOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { callable } = await openCatalog(options, tellOn(streams), signal);
  const source = await readScript(script, process.cwd(), streams.stdin, signal);
  const parsed = parseScriptSource(source);
  if (!parsed.ok) throw new ScriptSourceError(parsed.message);
  const checker = createScriptChecker({ timeoutMs: options.timeoutMs ?? 30_000 });
  const outcome = await checker.check({ code: parsed.code, tools: callable, signal });
  const diagnostics = outcome.kind === "faulty" ? outcome.diagnostics : [];
  const reason = outcome.kind === "not-checked" ? outcome.reason : undefined;
  if (options.json === true) {
    writeJsonLine(streams, {
      ok: outcome.kind === "clean",
      kind: outcome.kind,
      diagnostics,
      ...(reason === undefined ? {} : { reason }),
    });
  } else {
    const colors = colorsFor(streams.stdout, process.env);
    const name = script === "-" ? "standard input" : basename(script);
    for (const { line, column, message, lineText } of diagnostics) {
      const place = colors.bold(`${name}:${line}:${column}`);
      streams.stdout.write(
        `${place}: ${oneLine(message, 2_000)}\n${pointed(lineText, column)
          .map((text) => `${text}\n`)
          .join("")}`,
      );
    }
    if (reason !== undefined) streams.stderr.write(`nestbox: ${name} was not checked: ${oneLine(reason)}\n`);
  }
  if (outcome.kind === "clean") return exitCodes.ok;
  return outcome.kind === "faulty" ? exitCodes.script : exitCodes.sandbox;
}
