/** `nestbox trace`: the page of @nestbox/inspector, served on this machine or as one file. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import {
  type Inspector,
  readTraceFile,
  renderTracePage,
  serveInspector,
  watchTraceFiles,
} from "@nestbox/inspector/node";

import { codeOf } from "../doctor/finding.ts";
import { exitCodes } from "../exit-codes.ts";
import { messageOf } from "../message-of.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { oneLine } from "../report/safe-text.ts";
import { UsageError } from "../usage-error.ts";

/** Serves a page with these traces until the command is interrupted. */
export async function openTraces(
  files: readonly string[],
  options: { readonly port: number; readonly json?: boolean },
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const inspector = await serve(files, options.port);
  try {
    if (options.json === true) writeJsonLine(streams, { ok: true, url: inspector.url });
    else {
      streams.stdout.write(`${inspector.url}\n`);
      streams.stderr.write(
        "nestbox: open this address in a browser of this machine; whoever has it sees the traces. Ctrl-C ends.\n",
      );
    }
    if (!signal.aborted)
      await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
  } finally {
    await inspector.close();
  }
  return exitCodes.ok;
}

/** Writes the page with these traces into one file. */
export async function exportTraces(
  files: readonly string[],
  options: { readonly output: string; readonly force?: boolean; readonly json?: boolean },
  streams: Streams,
): Promise<number> {
  const runs = files.map((file) => named(file, () => readTraceFile(resolve(file))));
  const page = await renderTracePage(runs);
  try {
    writeFileSync(resolve(options.output), page, { mode: 0o600, flag: options.force === true ? "w" : "wx" });
  } catch (cause) {
    throw new UsageError(
      codeOf(cause) === "EEXIST"
        ? `${options.output}: there is such a file already; --force writes over it.`
        : `${options.output}: it cannot be written (${codeOf(cause) ?? messageOf(cause)}).`,
      { cause },
    );
  }
  if (options.json === true)
    writeJsonLine(streams, { ok: true, file: options.output, bytes: Buffer.byteLength(page) });
  else streams.stderr.write(`nestbox: the page was written to ${oneLine(options.output)}\n`);
  return exitCodes.ok;
}

async function serve(files: readonly string[], port: number): Promise<Inspector> {
  // Each file by itself first, so that a message has the name that was given.
  for (const file of files) named(file, () => readTraceFile(resolve(file)));
  try {
    return await serveInspector({ source: watchTraceFiles(files.map((file) => resolve(file))), port });
  } catch (cause) {
    throw new UsageError(cannotServe(cause, port), { cause });
  }
}

function named<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(messageOf(cause).replace(resolve(file), file), { cause });
  }
}

function cannotServe(cause: unknown, port: number): string {
  switch (codeOf(cause)) {
    case "port-in-use":
      return `Port ${port} is in use by another program (to find it: lsof -i :${port}). Choose another one: --port 0 lets the system choose.`;
    case "port-refused":
      return `The system does not let you listen on port ${port}. Choose one above 1023: --port 0 lets the system choose.`;
    default:
      return messageOf(cause);
  }
}
