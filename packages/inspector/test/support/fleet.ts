import type { FleetEntry, FleetList, FleetState, Run } from "../../src/index.ts";
import type { FleetSource, RunSource } from "../../src/node/index.ts";
import { runOf } from "./read.ts";
import { call, exampleTrace, hostileText } from "./traces.ts";

const day = 86_400_000;
const hour = 3_600_000;

/** A moment from which everything here counts. */
export const epoch = Date.UTC(2026, 2, 1, 9, 30);

/** A run of a fleet that worked for a few seconds, waited for days, and works again. */
export function parkedTrace(more: Record<string, unknown> = {}): Record<string, unknown> {
  const { script } = exampleTrace();
  return {
    schema: "nestbox.call-trace",
    version: 1,
    startedAt: new Date(epoch).toISOString(),
    durationMs: 2 * day + 3 * hour + 9_000,
    omitted: 0,
    run: {
      id: "release-42",
      state: "parked",
      worker: "worker-a",
      deadlineAt: new Date(epoch + 7 * day).toISOString(),
      approveWith: ["nestbox", "approve", "--config", "fleet.jsonc"],
    },
    script: { ...script, state: "running", outcome: undefined, output: [], limits: [] },
    calls: [
      call("release-42:1", "run_checks", { line: 3, startMs: 12, durationMs: 1_560, runMs: 1_548 }),
      call("release-42:2", "failing_tests", { line: 4, startMs: 1_590, durationMs: 840, runMs: 830 }),
      call("release-42:3", "collect_diff", { line: 5, startMs: 2_500, durationMs: 300, runMs: 290 }),
      call("release-42:4", "deploy", {
        line: 10,
        startMs: 2_900,
        durationMs: 2 * day + 2_300,
        runMs: 2_200,
        decision: { effect: "ask", rule: "ask-before-deploy", layer: "project" },
        arguments: '{"to":"staging"}',
        waits: [
          {
            key: "4",
            fromMs: 2_950,
            toMs: 2 * day + 3_000,
            decision: "approved",
            by: "ada",
            comment: "after the freeze",
            reason: "It deploys",
            rule: "ask-before-deploy",
            layer: "project",
            lines: ["deploy", "to: staging"],
          },
        ],
      }),
      call("release-42:5", "smoke_test", {
        line: 11,
        startMs: 2 * day + 5_300,
        durationMs: 3_100,
        runMs: 3_000,
      }),
      call("release-42:6", "deploy", {
        line: 12,
        startMs: 2 * day + 8_500,
        durationMs: undefined,
        runMs: undefined,
        status: "running",
        result: undefined,
        resultBytes: undefined,
        decision: { effect: "ask", rule: "ask-before-deploy", layer: "project" },
        arguments: '{"to":"production"}',
        waits: [
          {
            key: "6",
            fromMs: 2 * day + 8_600,
            reason: "It deploys to production",
            rule: "ask-before-deploy",
            layer: "project",
            lines: ["deploy", "to: production"],
          },
        ],
      }),
    ],
    ...more,
  };
}

const states: readonly FleetState[] = [
  "succeeded",
  "succeeded",
  "succeeded",
  "parked",
  "running",
  "succeeded",
  "failed",
  "parked",
  "queued",
  "halted",
];
const tools = ["deploy", "publish", "delete_branch"];

/** `count` runs, the newest first; `now` is the time at which they are looked at. */
export function entries(count: number, now: number): readonly FleetEntry[] {
  return Array.from({ length: count }, (_, n): FleetEntry => {
    const state = states[n % states.length] ?? "ended";
    const createdAt = now - 4_000 - n * 97_000;
    const ended = state === "succeeded" || state === "failed";
    const asks = state === "parked" && n % 20 !== 7;
    return {
      id: n === 3 ? "release-42" : `review-${String(count - n).padStart(5, "0")}`,
      state,
      createdAt,
      ...(ended ? { endedAt: createdAt + 1_200 + (n % 60) * 5_400 } : {}),
      ...(state === "running" || ended ? { worker: `worker-${"ab"[n % 2]}` } : {}),
      ...(state === "halted" ? { message: "The run cannot go on here: removed tool deploy" } : {}),
      ...(state === "parked" && !asks ? { wakeAt: now + 5_400_000 } : {}),
      waitingFor: asks ? 1 + (n % 3) : 0,
      questions: asks
        ? [
            {
              key: "6",
              name: tools[n % 3] ?? "",
              arguments: '{"to":"production"}',
              reason: "It deploys to production",
              askedAt: createdAt + 3_000,
            },
          ]
        : [],
    };
  });
}

export const hostileEntry: FleetEntry = {
  id: hostileText,
  state: "parked",
  worker: hostileText,
  message: hostileText,
  createdAt: epoch,
  waitingFor: 1,
  questions: [{ key: hostileText, name: hostileText, arguments: hostileText, reason: hostileText }],
};

export interface FakeFleet extends FleetSource {
  /** Changes what is listed. */
  set(change: Partial<FleetList>): void;
  replace(list: FleetList): void;
  /** Changes what a run's page shows. */
  setRun(id: string, run: Run): void;
  setTrouble(id: string, trouble: string): void;
  /** Ids of runs that somebody follows. */
  readonly followed: ReadonlySet<string>;
}

/** A fleet whose engine is the test. */
export function fakeFleet(runs: readonly FleetEntry[]): FakeFleet {
  let list: FleetList = {
    name: "restate at 127.0.0.1",
    approveWith: ["nestbox", "approve", "--config", "fleet.jsonc"],
    loaded: true,
    more: false,
    runs,
  };
  const listeners = new Set<() => void>();
  const followed = new Set<string>();
  const shown = new Map<string, { run?: Run; trouble: string; tell: Set<() => void> }>();
  const of = (id: string) => {
    const known = shown.get(id) ?? { trouble: "", tell: new Set<() => void>() };
    shown.set(id, known);
    return known;
  };
  return {
    followed,
    list: () => list,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open(id): RunSource | undefined {
      if (!list.runs.some((run) => run.id === id)) return undefined;
      const one = of(id);
      return {
        runs: () => [one.run ?? runOf(parkedTrace(), id)],
        trouble: () => one.trouble,
        subscribe(listener) {
          one.tell.add(listener);
          followed.add(id);
          return () => {
            one.tell.delete(listener);
            followed.delete(id);
          };
        },
      };
    },
    set(change) {
      list = { ...list, ...change };
      for (const listener of listeners) listener();
    },
    replace(next) {
      list = next;
      for (const listener of listeners) listener();
    },
    setRun(id, run) {
      of(id).run = run;
      for (const tell of of(id).tell) tell();
    },
    setTrouble(id, trouble) {
      of(id).trouble = trouble;
      for (const tell of of(id).tell) tell();
    },
  };
}
