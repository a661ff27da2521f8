/** A fleet in memory: what the commands see of an engine, and nothing behind it. */
import { PassThrough } from "node:stream";

import type { ScriptOutcome } from "@nestbox/codemode";
import type { DurableScript, RunJournal } from "@nestbox/codemode/durable";
import type { JsonValue } from "@nestbox/tool";

import {
  type FleetContents,
  type FleetEngine,
  FleetError,
  type FleetQuestion,
  type FleetRun,
} from "../../src/fleet/engine.ts";
import type { FleetWorld } from "../../src/fleet/fleet-world.ts";
import { main } from "../../src/program.ts";

export const NOW = Date.parse("2026-03-01T12:00:00Z");

export interface FakeRun {
  readonly run: FleetRun;
  readonly script?: DurableScript;
  readonly questions?: readonly FleetQuestion[];
  readonly contents?: FleetContents;
  readonly outcome?: ScriptOutcome;
}

export interface FakeFleet {
  readonly world: FleetWorld;
  readonly runs: Map<string, FakeRun>;
  /** What was woken, in order. */
  readonly woken: { readonly runId: string; readonly key: string; readonly value: JsonValue }[];
  readonly resumed: string[];
  /** Called before every look, with its number from 1; what it throws the engine answers with. */
  onLook: (look: number) => void;
  /** Called in every pause of a command that waits. */
  onPause: () => void;
  closed: number;
}

export function fakeFleet(runs: readonly FakeRun[] = []): FakeFleet {
  let looks = 0;
  const look = (): void => fleet.onLook(++looks);
  const find = (runId: string): FakeRun | undefined => fleet.runs.get(runId);
  const journal = (runId: string): RunJournal => ({
    runId,
    step: () => Promise.reject(new Error("a command takes no step")),
    wait: () => Promise.reject(new Error("a command does not wait here")),
    wake(key, value) {
      const first = fleet.woken.find((one) => one.runId === runId && one.key === key);
      if (first !== undefined) return Promise.resolve({ kind: "already", value: first.value });
      fleet.woken.push({ runId, key, value });
      return Promise.resolve({ kind: "stored" });
    },
  });
  const engine: FleetEngine = {
    name: "dbos",
    submit(runId, script) {
      const before = find(runId);
      if (before !== undefined)
        return Promise.resolve({
          begun: false,
          same: JSON.stringify(before.script) === JSON.stringify(script),
        });
      fleet.runs.set(runId, { run: { runId, state: "queued", createdAt: NOW, waitingFor: 0 }, script });
      return Promise.resolve({ begun: true });
    },
    async status(runId) {
      look();
      return Promise.resolve(find(runId)?.run);
    },
    runs: ({ limit = 10_000 } = {}) =>
      Promise.resolve(Array.from(fleet.runs.values(), ({ run }) => run).slice(0, limit)),
    questions: ({ runId } = {}) =>
      Promise.resolve(
        [...fleet.runs.values()].flatMap(({ run, questions = [] }) =>
          runId === undefined || run.runId === runId ? questions : [],
        ),
      ),
    journal,
    async contents(runId) {
      look();
      return Promise.resolve(find(runId)?.contents ?? { steps: [], waits: [], complete: true });
    },
    result(runId) {
      const outcome = find(runId)?.outcome;
      return outcome === undefined
        ? Promise.reject(new FleetError("refused", "It has no end"))
        : Promise.resolve(outcome);
    },
    resume(runId) {
      fleet.resumed.push(runId);
      return Promise.resolve(true);
    },
    probe: () => Promise.resolve(),
    startWorker: () => Promise.reject(new Error("a client starts no worker")),
    [Symbol.asyncDispose]() {
      fleet.closed++;
      return Promise.resolve();
    },
  };
  let time = NOW;
  const fleet: FakeFleet = {
    runs: new Map(runs.map((one) => [one.run.runId, one])),
    woken: [],
    resumed: [],
    onLook: () => undefined,
    onPause: () => undefined,
    closed: 0,
    world: {
      open: () => Promise.resolve(engine),
      now: () => time,
      pause(ms) {
        time += ms;
        fleet.onPause();
        return Promise.resolve();
      },
      fresh: () => "0123456789",
      person: () => "ada",
    },
  };
  return fleet;
}

export const ended = (value: JsonValue): ScriptOutcome => ({
  ok: true,
  value,
  storeWrites: { set: {}, delete: [] },
  output: [],
  calls: [],
  warnings: [],
  stats: { wallMs: 1, cpuMs: 1, pausedMs: 0, calls: 0, outputChars: 0 },
});

export const failed = (message: string): ScriptOutcome => ({
  ok: false,
  error: { kind: "script", name: "Error", message, stack: `Error: ${message}`, line: 1 },
  output: [],
  calls: [],
  warnings: [],
  stats: { wallMs: 1, cpuMs: 1, pausedMs: 0, calls: 0, outputChars: 0 },
});

export interface Told {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Every line of standard output as JSON. */
  readonly json: readonly Readonly<Record<string, unknown>>[];
}

export interface Terminal {
  /** Columns of both outputs, which are terminals then. */
  readonly columns?: number;
  /** What is typed at a terminal. */
  readonly typed?: string;
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** Carries out a command line against a fleet in memory. */
export async function command(
  fleet: FakeFleet,
  args: readonly string[],
  { columns, typed, stdin = "", signal = new AbortController().signal }: Terminal = {},
): Promise<Told> {
  const isTTY = columns !== undefined || typed !== undefined;
  const output = () => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: columns ?? 80 });
    let text = "";
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    return { stream, text: () => text };
  };
  const [stdout, stderr] = [output(), output()];
  const input = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  if (typed === undefined) input.end(stdin);
  else {
    // As soon as it is asked, like somebody who has read it: the clock of the test says how long that took.
    stderr.stream.on("data", (chunk: string) => {
      if (!chunk.includes("y/N")) return;
      fleet.onPause();
      input.write(typed);
    });
  }
  const streams = { stdin: input, stdout: stdout.stream, stderr: stderr.stream };
  const exitCode = await main(args, streams, signal, undefined, fleet.world);
  return {
    exitCode,
    stdout: stdout.text(),
    stderr: stderr.text(),
    get json() {
      return stdout
        .text()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    },
  };
}

export const away = (): FleetError => new FleetError("unreachable", "The database does not answer");

/** Text that would move a cursor, clear a screen, reorder what is read or end a line. */
export const HOSTILE = "\u001b[2J\u001b]0;owned\u0007a\r\nroot:\u202egnp\u0000";

/** What a terminal would obey, but the ends of lines. */
export const OBEYED = /(?!\n)[\p{Cc}\u202e]/u;
