import { resolve } from "node:path";

import { workingFolder } from "../compose/working-folder.ts";
import { diagnose } from "../doctor/diagnose.ts";
import { realWorld } from "../doctor/world.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { oneLine } from "../report/safe-text.ts";
import { displayWidth, terminalColumns, wrapped } from "../report/width.ts";

export interface DoctorOptions {
  readonly json?: boolean;
  readonly cwd?: string;
  readonly node?: string;
  readonly policy?: readonly string[];
  readonly port: number;
}

/** Where less is left behind the first words, the text stands below them. */
const LEAST_TEXT_COLUMNS = 30;
const NARROW_INDENT = "    ";

/** `nestbox doctor`: says what keeps scripts from running, why, and what to do. Exit code 1 for a problem. */
export async function doctor(options: DoctorOptions, streams: Streams): Promise<number> {
  const start = process.cwd();
  const findings = await diagnose(
    realWorld({
      cwd: workingFolder(options.cwd, start),
      policy: (options.policy ?? []).map((file) => resolve(start, file)),
      port: options.port,
      ...(options.node === undefined ? {} : { nodePath: options.node }),
    }),
  );
  const ok = findings.every(({ status }) => status !== "problem");
  if (options.json === true) writeJsonLine(streams, { ok, findings });
  else {
    const colors = colorsFor(streams.stdout, process.env);
    const paint = { ok: colors.green, note: colors.yellow, problem: colors.red, skipped: colors.dim };
    const columns = terminalColumns(streams.stdout);
    const write = (prefix: string, text: string): void => {
      const said = oneLine(text, 2_000);
      const narrow = columns !== undefined && columns - displayWidth(prefix) < LEAST_TEXT_COLUMNS;
      const lines = narrow
        ? [prefix.trim(), ...wrapped(NARROW_INDENT, said, columns)]
        : wrapped(prefix, said, columns);
      for (const line of lines) streams.stdout.write(`${line}\n`);
    };
    for (const { status, id, found, cause, fix } of findings) {
      write(`${paint[status](status.padEnd(7))}  ${id.padEnd(12)}  `, found);
      if (cause !== undefined) write("         because: ", cause);
      if (fix !== undefined) write("         do:      ", fix);
    }
  }
  return ok ? exitCodes.ok : exitCodes.script;
}
