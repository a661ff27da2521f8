/** `nestbox trace`: the page of @nestbox/inspector, served on this machine or as one file. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

import type { Run } from "@nestbox/inspector";
import {
  type FleetSource,
  type Inspector,
  readTraceFile,
  renderTracePage,
  type RunSource,
  serveInspector,
  watchTraceFiles,
} from "@nestbox/inspector/node";

import { codeOf } from "../doctor/finding.ts";
import { exitCodes } from "../exit-codes.ts";
import { type FleetEngine, FleetError } from "../fleet/engine.ts";
import { findRun } from "../fleet/find-run.ts";
import type { FleetWorld } from "../fleet/fleet-world.ts";
import { createFleetSource, readFleetRun } from "../fleet/trace-source.ts";
import { messageOf } from "@nestbox/tool";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { oneLine } from "../report/safe-text.ts";
import { UsageError } from "../usage-error.ts";

export interface OpenTracesOptions {
  readonly port: number;
  readonly json?: boolean;
  readonly fleet?: boolean;
  readonly config?: string;
}

/** Serves a page with these traces, or with the runs of the fleet, until the command is interrupted. */
export async function openTraces(
  files: readonly string[],
  options: OpenTracesOptions,
  streams: Streams,
  signal: AbortSignal,
  world: FleetWorld,
): Promise<number> {
  if (options.fleet === true && files.length > 0)
    throw new UsageError("Say either trace files or --fleet, not both.");
  if (options.fleet !== true && options.config !== undefined)
    throw new UsageError("--config says where the fleet is: it belongs to --fleet.");
  if (options.fleet !== true) {
    if (files.length === 0)
      throw new UsageError("Say which trace files to show, or --fleet for the runs of the fleet.");
    return await show({ source: traceFiles(files) }, options, streams, signal);
  }
  const over = new AbortController();
  const engines = openEngine(options, world);
  try {
    // What the words got wrong is said here; a server that is away is said on the page, which finds it when it is back.
    await engines.open().catch((error: unknown) => {
      if (!(error instanceof FleetError) || error.kind !== "unreachable") throw error;
      tellOn(streams)(`${error.message}; trying until it does`);
    });
    const fleet = createFleetSource({
      world,
      open: () => engines.open(),
      approveWith: commandOf("approve", options),
      resumeWith: commandOf("resume", options),
      signal: over.signal,
    });
    return await show({ fleet }, options, streams, signal);
  } finally {
    over.abort();
    await engines.close();
  }
}

async function show(
  what: { readonly source: RunSource } | { readonly fleet: FleetSource },
  options: OpenTracesOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const inspector = await serve(what, options.port);
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

export interface ExportTracesOptions {
  readonly output: string;
  readonly force?: boolean;
  readonly json?: boolean;
  /** Ids of runs of the fleet. */
  readonly run?: readonly string[];
  readonly config?: string;
}

/** Writes the page with these traces, and with these runs of the fleet, into one file. */
export async function exportTraces(
  files: readonly string[],
  options: ExportTracesOptions,
  streams: Streams,
  world: FleetWorld,
): Promise<number> {
  const ids = options.run ?? [];
  if (files.length + ids.length === 0)
    throw new UsageError("Say which trace files to export, or --run for a run of the fleet.");
  if (ids.length === 0 && options.config !== undefined)
    throw new UsageError("--config says where the fleet is: it belongs to --run.");
  const runs = [
    ...files.map((file) => named(file, () => readTraceFile(resolve(file)))),
    ...(await fleetRuns(ids, options, world)),
  ];
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

async function fleetRuns(
  ids: readonly string[],
  options: ExportTracesOptions,
  world: FleetWorld,
): Promise<readonly Run[]> {
  if (ids.length === 0) return [];
  await using engine = await world.open(options);
  const runs: Run[] = [];
  for (const id of ids) {
    await findRun(engine, id);
    const { read } = await readFleetRun(engine, id, {
      approveWith: commandOf("approve", options),
      resumeWith: commandOf("resume", options),
      now: world.now(),
    });
    runs.push(read);
  }
  return runs;
}

const commandOf = (
  command: "approve" | "resume",
  { config }: { readonly config?: string },
): readonly string[] => ["nestbox", command, ...(config === undefined ? [] : ["--config", config])];

/** One engine for all looks; one that could not be opened is opened by a later look. */
function openEngine(
  options: { readonly config?: string },
  world: FleetWorld,
): { readonly open: () => Promise<FleetEngine>; readonly close: () => Promise<void> } {
  let opening: Promise<FleetEngine> | undefined;
  return {
    open() {
      opening ??= world.open(options).catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      // One that cannot be opened need not be closed.
      const engine = await opening?.catch(() => undefined);
      await engine?.[Symbol.asyncDispose]();
    },
  };
}

function traceFiles(files: readonly string[]): RunSource {
  // Each file by itself first, so that a message has the name that was given.
  for (const file of files) named(file, () => readTraceFile(resolve(file)));
  try {
    return watchTraceFiles(files.map((file) => resolve(file)));
  } catch (cause) {
    throw new UsageError(messageOf(cause), { cause });
  }
}

async function serve(
  what: { readonly source: RunSource } | { readonly fleet: FleetSource },
  port: number,
): Promise<Inspector> {
  try {
    return await serveInspector({ ...what, port });
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
