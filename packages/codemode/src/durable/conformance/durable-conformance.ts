/**
 * What every engine that carries runs must keep, as cases without a test framework: each is a promise with a title,
 * and rejects with what was wrong. `open` gives another view of the same storage, as another process has it; a view
 * that is left lying is a process that has died.
 */
import type { JsonValue } from "@nestbox/tool";
import {
  type ConformanceCase,
  ConformanceError,
  holds,
  same,
  within,
} from "../../conformance/driver-conformance.ts";
import type { ScriptRunner } from "../../types.ts";
import type { RunJournal } from "../journal.ts";
import type { ParkedDecision } from "../parking.ts";
import { cancelDurable, type DurableRequest, type DurableResult, runDurable } from "../run-durable.ts";
import type { CrashPlace } from "./crash.ts";
import { type FakeTools, fakeTools } from "./fake-tools.ts";

export interface DurableView {
  run(runId: string): RunJournal;
  close(): void | Promise<void>;
}

export interface DurableConformanceOptions {
  /** With at least two processes. */
  readonly runner: ScriptRunner;
  readonly open: () => Promise<DurableView>;
  /** Real deaths; without it, processes only vanish. */
  readonly crash?: {
    /** Runs `crashRun` with this place in a process of its own; resolves when that is dead. */
    readonly die: (runId: string, at: CrashPlace) => Promise<void>;
    /** Runs `crashRun` without a place in another process, to the end. */
    readonly carryOn: (runId: string) => Promise<DurableResult>;
    /** What has been handed to `effect`, by all processes. */
    readonly effects: (runId: string) => Promise<readonly string[]>;
  };
  /** Default 2,000. */
  readonly parkedRuns?: number;
  /** Default 2,000. */
  readonly calls?: number;
  /** Characters of two bytes each. Default 20,000,000. */
  readonly bigChars?: number;
  /** Milliseconds for a case. Default 600,000. */
  readonly caseMs?: number;
}

const YES: ParkedDecision = { kind: "approved" };
const FOREVER = new AbortController().signal;

export function durableConformance(options: DurableConformanceOptions): readonly ConformanceCase[] {
  const { runner, open, crash, parkedRuns = 2_000, calls = 2_000, bigChars = 20_000_000 } = options;
  const views: DurableView[] = [];
  let count = 0;

  async function view(): Promise<DurableView> {
    const made = await open();
    views.push(made);
    return made;
  }

  /** A run in a view of its own. */
  async function journal(runId = `run-${++count}`): Promise<RunJournal> {
    return (await view()).run(runId);
  }

  const go = (
    on: RunJournal,
    tools: FakeTools,
    code?: string,
    more: Partial<DurableRequest> = {},
  ): Promise<DurableResult> =>
    runDurable({
      runner,
      journal: on,
      callerFor: tools.callerFor,
      parking: tools.parking,
      ...(code === undefined ? {} : { script: { code } }),
      ...more,
    });

  const cases: [string, () => Promise<void>][] = [
    [
      "a step runs once, and every process gets what it gave",
      async () => {
        const first = await journal();
        const other = await journal(first.runId);
        let ran = 0;
        const step = () => Promise.resolve({ ran: ++ran });
        same(await first.step("a", step), { kind: "done", value: { ran: 1 }, replayed: false });
        same(await other.step("a", step), { kind: "done", value: { ran: 1 }, replayed: true });
        same(ran, 1);
      },
    ],
    [
      "a step that had begun in a process that is gone is interrupted and stays so",
      async () => {
        const lost = await journal();
        await begun(lost, "a", {});
        const other = await journal(lost.runId);
        const step = () => Promise.resolve("again");
        same((await other.step("a", step)).kind, "interrupted");
        same((await (await journal(lost.runId)).step("a", step)).kind, "interrupted");
      },
    ],
    [
      "one that may be repeated runs again",
      async () => {
        const lost = await journal();
        await begun(lost, "a", { repeatable: true });
        const step = await (
          await journal(lost.runId)
        ).step("a", () => Promise.resolve("again"), { repeatable: true });
        same(step, { kind: "done", value: "again", replayed: false });
      },
    ],
    [
      "a process that has lost the run can keep nothing more",
      async () => {
        const lost = await journal();
        const held = await begun(lost, "a", {});
        const other = await journal(lost.runId);
        await other.step("b", () => Promise.resolve(1));
        held.resolve("late");
        holds(await rejects(held.step), "the late step was kept");
        holds(await rejects(lost.step("c", () => Promise.resolve(1))), "a step of the lost process was kept");
        same((await (await journal(lost.runId)).step("a", () => Promise.resolve(1))).kind, "interrupted");
      },
    ],
    [
      "a step that fails keeps nothing",
      async () => {
        const on = await journal();
        holds(
          await rejects(on.step("a", () => Promise.reject(new Error("no")))),
          "the failure was not handed on",
        );
        same((await on.step("a", () => Promise.resolve(2))).kind, "done");
      },
    ],
    [
      "values are kept as they are",
      async () => {
        const value = { text: "\ud800 \0 é 😀", n: [0, -1.5, 1e300, null, true], __proto__x: {}, empty: [] };
        const on = await journal();
        await on.step("a", () => Promise.resolve(value));
        const again = await (await journal(on.runId)).step("a", () => Promise.resolve(null));
        same(again, { kind: "done", value, replayed: true });
        await on.wake("w", value);
        same(await on.wait("w", null, { signal: FOREVER }), { kind: "woken", value });
      },
    ],
    [
      "a wake before the wait is not lost, and the first one counts",
      async () => {
        const on = await journal();
        same((await on.wake("a", 1)).kind, "stored");
        same(await (await journal(on.runId)).wake("a", 2), { kind: "already", value: 1 });
        same(await on.wait("a", "why", { signal: FOREVER }), { kind: "woken", value: 1 });
      },
    ],
    [
      "a wake of another process reaches the one that waits",
      async () => {
        const on = await journal();
        const wait = await on.wait("a", "why", { signal: FOREVER });
        same(wait.kind, "waiting");
        await (await journal(on.runId)).wake("a", { yes: true });
        if (wait.kind === "waiting") same(await wait.woken, { yes: true });
      },
    ],
    [
      "a run ends once: whoever carries it on later gets its end and runs nothing",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        const code = "return [(await tools.effect({ n: 1 })).n, Math.random()]";
        const [first, second] = [await go(on, tools, code), await go(await journal(on.runId), tools)];
        same(first, second);
        same([first.state, tools.effects], ["ended", ["effect:1"]]);
        const end = await on.wait("end", null, { signal: FOREVER });
        same(end.kind, "woken");
      },
    ],
    [
      "a run parks while a person decides, holds nothing, and goes on elsewhere",
      async () => {
        const on = await journal();
        const code =
          "const a = await tools.effect({ n: 1 }); const b = await tools.deploy({ n: 2 }); return [a.n, b.n]";
        const parked = await go(on, fakeTools(), code);
        same(waitingFor(parked), [["2", "deploy"]]);
        await (await journal(on.runId)).wake("2", YES);
        const tools = fakeTools();
        same([valueOf(await go(await journal(on.runId), tools)), tools.effects], [[1, 2], ["deploy:2"]]);
      },
    ],
    [
      "what is not decided yet parks again",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        for (let round = 0; round < 3; round++)
          same(waitingFor(await go(await journal(on.runId), tools, "return await tools.deploy({ n: 1 })")), [
            ["1", "deploy"],
          ]);
        same(tools.effects, []);
      },
    ],
    [
      "several calls wait at once and are decided in any order",
      async () => {
        const on = await journal();
        const code =
          "const seen = []; await Promise.all([1, 2, 3].map((n) => tools.deploy({ n }).then(() => seen.push(n), () => seen.push(-n)))); return seen";
        const tools = fakeTools();
        same(waitingFor(await go(on, tools, code)).length, 3);
        await on.wake("3", YES);
        same(waitingFor(await go(await journal(on.runId), tools)).length, 2);
        await on.wake("1", { kind: "declined", comment: "not today" });
        same(waitingFor(await go(await journal(on.runId), tools)).length, 1);
        await on.wake("2", YES);
        same(valueOf(await go(await journal(on.runId), tools)), [3, -1, 2]);
        same(tools.effects, ["deploy:3", "deploy:2"]);
      },
    ],
    [
      "what is clearly no yes is a no, and the script is told",
      async () => {
        for (const answer of [
          { kind: "declined", comment: "never" },
          "approved",
          null,
          { kind: "Approved" },
        ]) {
          const on = await journal();
          await on.wake("1", answer as JsonValue);
          const tools = fakeTools();
          const result = await go(
            on,
            tools,
            "try { await tools.deploy({ n: 1 }) } catch (error) { return error.name }",
          );
          same([valueOf(result), tools.effects], ["PolicyError", []]);
        }
      },
    ],
    [
      "a run does not park while a call runs, and goes on when it is woken meanwhile",
      async () => {
        const on = await journal();
        const tools = fakeTools({ onEffect: () => on.wake("1", YES) });
        const code =
          "return (await Promise.all([tools.deploy({ n: 1 }), tools.effect({ n: 2 })])).map((r) => r.n)";
        const result = await go(on, tools, code);
        same(result.state === "ended" || waitingFor(result).length === 1, true);
        same(valueOf(result.state === "ended" ? result : await go(await journal(on.runId), tools)), [1, 2]);
      },
    ],
    [
      "a run that is cancelled while it is parked ends as aborted and calls nothing",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        same(waitingFor(await go(on, tools, "await tools.deploy({ n: 1 })")).length, 1);
        await cancelDurable(await journal(on.runId), "Not wanted any more");
        await on.wake("1", YES);
        const result = await go(await journal(on.runId), tools);
        same([errorOf(result), tools.effects], [["aborted", "Not wanted any more"], []]);
      },
    ],
    [
      "a run that is cancelled while it runs ends as aborted",
      async () => {
        const on = await journal();
        const tools = fakeTools({ onEffect: () => cancelDurable(on) });
        same(errorOf(await go(on, tools, "await tools.hang({ n: 1 })"))[0], "aborted");
      },
    ],
    [
      "a deadline counts while a run is parked",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        let now = 1_000_000;
        const clock = { now: () => now, after: () => () => undefined };
        const script = { code: "await tools.deploy({ n: 1 })", deadlineMs: 60_000 };
        const parked = await go(on, tools, undefined, { script, clock });
        same(parked.state === "parked" && parked.wakeAt, 1_060_000);
        now += 60_000;
        same(errorOf(await go(await journal(on.runId), tools, undefined, { clock }))[0], "timeout");
      },
    ],
    [
      "a far timer parks a run until it is due",
      async () => {
        const on = await journal();
        let now = 1_000_000;
        const clock = {
          now: () => now,
          after: (ms: number, run: () => void) => {
            const timer = setTimeout(run, Math.min(ms, 1));
            return () => clearTimeout(timer);
          },
        };
        const code = "await new Promise((r) => setTimeout(r, 86400000)); return Date.now()";
        const parked = await go(on, fakeTools(), code, { clock });
        same(parked.state === "parked" && [parked.waitingFor, parked.wakeAt], [[], 87_400_000]);
        now = 90_000_000;
        same(valueOf(await go(await journal(on.runId), fakeTools(), undefined, { clock })), 87_400_000);
      },
    ],
    [
      "a process that lets go keeps what is under way, and the run goes on elsewhere",
      async () => {
        const on = await journal();
        const controller = new AbortController();
        const tools = fakeTools({ onEffect: () => controller.abort(), latency: () => 20 });
        const code =
          "const seen = []; for (let n = 1; n <= 3; n++) seen.push((await tools.effect({ n })).n); return seen";
        const result = await go(on, tools, code, { signal: controller.signal });
        same([result.state === "halted" && result.halt.kind, tools.effects], ["released", ["effect:1"]]);
        const others = fakeTools();
        same(valueOf(await go(await journal(on.runId), others)), [1, 2, 3]);
        same(others.effects, ["effect:2", "effect:3"]);
      },
    ],
    [
      "the order in which results came holds everywhere",
      async () => {
        const on = await journal();
        const code = `const seen = [];
          await Promise.all([1, 2, 3, 4].map((n) => tools.effect({ n }).then(() => seen.push(n))));
          const first = await Promise.race([5, 6].map((n) => tools.effect({ n })));
          return [seen, first.n, (await tools.deploy({ seen: seen.join(), first: first.n })).seen]`;
        const tools = fakeTools({ latency: (n) => [0, 40, 5, 20, 0, 30, 1][n] ?? 0 });
        const parked = await go(on, tools, code);
        same(waitingFor(parked), [["7", "deploy"]]);
        await on.wake("7", YES);
        const elsewhere = fakeTools();
        const value = valueOf(await go(await journal(on.runId), elsewhere)) as [number[], number, string];
        same([value[0].join(), elsewhere.effects], [value[2], ["deploy:0"]]);
      },
    ],
    [
      "another script under the same run is a divergence that calls nothing",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        await go(on, tools, "text('a');\nawait tools.deploy({ n: 1 })");
        await on.wake("1", YES);
        const result = await go(await journal(on.runId), tools, "text('a');\nawait tools.deploy({ n: 2 })");
        holds(result.state === "halted" && result.halt.kind === "diverged", "it was not halted");
        if (result.state === "halted" && result.halt.kind === "diverged") same(result.halt.line, 2);
        same(tools.effects, []);
      },
    ],
    [
      "a script that does something else than its journal says stops before any call",
      async () => {
        const on = await journal();
        const tools = fakeTools();
        await go(on, tools, "const a = await tools.effect({ n: 1 });\nawait tools.deploy({ n: a.n });");
        await on.wake("2", YES);
        const result = await go(forged(await journal(on.runId)), tools);
        holds(result.state === "halted" && result.halt.kind === "diverged", "it was not halted");
        if (result.state === "halted" && result.halt.kind === "diverged")
          same([result.halt.place, result.halt.call, result.halt.line], ["call", 1, 1]);
        same(tools.effects, ["effect:1"]);
      },
    ],
    [
      "an approval after a deploy: other tools or another engine halt the run, the old ones carry it on",
      async () => {
        const on = await journal();
        await go(on, fakeTools(), "return (await tools.deploy({ n: 1 })).n");
        await on.wake("1", YES);
        const deployed = fakeTools({ version: "2" });
        const other = await go(await journal(on.runId), deployed);
        same(changedParts(other).includes("tool deploy"), true);
        const engine = await go(otherEngine(await journal(on.runId)), fakeTools());
        same(changedParts(engine), ["v8"]);
        same(deployed.effects, []);
        same(valueOf(await go(await journal(on.runId), fakeTools())), 1);
      },
    ],
    [
      `${calls} calls of one run, in three processes: each ran once`,
      async () => {
        const on = await journal();
        const code = `let sum = 0; for (let n = 1; n <= ${calls}; n++) sum += (await tools.effect({ n })).n; return sum`;
        const effects: string[] = [];
        for (const part of [1 / 3, 2 / 3, 1]) {
          const controller = new AbortController();
          const tools = fakeTools({
            onEffect: (text) => {
              effects.push(text);
              if (part < 1 && effects.length >= calls * part) controller.abort();
            },
          });
          const result = await go(await journal(on.runId), tools, code, { signal: controller.signal });
          if (part < 1) same(result.state, "halted");
          else same(valueOf(result), (calls * (calls + 1)) / 2);
        }
        same([effects.length, new Set(effects).size], [calls, calls]);
      },
    ],
    [
      "a result of 40 MB is there for the next process",
      async () => {
        const on = await journal();
        const code = `const { text } = await tools.big({ n: ${bigChars} }); const d = await tools.deploy({ n: text.length }); return [text.length, text.at(-1), d.n]`;
        same(waitingFor(await go(on, fakeTools(), code)), [["2", "deploy"]]);
        await on.wake("2", YES);
        const tools = fakeTools();
        same(valueOf(await go(await journal(on.runId), tools)), [bigChars, "é", bigChars]);
        same(tools.effects, [`deploy:${bigChars}`]);
      },
    ],
    [
      `${parkedRuns} parked runs: each goes on once, with its own answer`,
      async () => {
        const ids = Array.from({ length: parkedRuns }, (_, index) => `parked-${index}`);
        const first = await view();
        const tools = fakeTools();
        await each(ids, async (id, index) => {
          const code =
            "const { n } = await tools.effect(load('n')); return await tools.deploy({ n }).then((r) => r.n, () => -n)";
          const script = { code, store: { n: JSON.stringify({ n: index }) } };
          same(waitingFor(await go(first.run(id), tools, undefined, { script })).length, 1);
        });
        await each(ids, async (id, index) => {
          await first.run(id).wake("2", index % 3 === 0 ? { kind: "declined" } : YES);
        });
        const second = await view();
        const others = fakeTools();
        await each(ids, async (id, index) =>
          same(valueOf(await go(second.run(id), others)), index % 3 === 0 ? -index : index),
        );
        same(tools.effects.length, parkedRuns);
        same(others.effects.length, new Set(others.effects).size);
        same(others.effects.length, ids.filter((_, index) => index % 3 !== 0).length);
      },
    ],
  ];
  if (crash !== undefined) {
    const places: [CrashPlace, JsonValue, readonly string[]][] = [
      ["before", [1, 2, 3], ["effect:1", "effect:2", "effect:3"]],
      ["inside", [1, "InterruptedError", 3], ["effect:1", "effect:2", "effect:3"]],
      ["repeatable", [1, 2, 3], ["effect:1", "retry:2", "retry:2", "effect:3"]],
      ["after", [1, 2, 3], ["effect:1", "effect:2", "effect:3"]],
    ];
    for (const [place, value, effects] of places) {
      cases.push([
        `a process is killed ${place === "repeatable" ? "inside a call that may be made again" : `${place} a call`}: another one carries the run on`,
        async () => {
          const runId = `killed-${place}`;
          await crash.die(runId, place);
          same(valueOf(await crash.carryOn(runId)), value);
          same(await crash.effects(runId), effects);
          // It has ended, once.
          same(valueOf(await crash.carryOn(runId)), value);
          same(await crash.effects(runId), effects);
        },
      ]);
    }
  }
  return cases.map(([title, test]) => ({
    title,
    run: async () => {
      try {
        await within(test(), title, options.caseMs ?? 600_000);
      } finally {
        for (const one of views.splice(0)) await one.close();
      }
    },
  }));
}

/** A step that is left hanging in the middle. */
async function begun(journal: RunJournal, key: string, options: { readonly repeatable?: boolean }) {
  const hanging = Promise.withResolvers<JsonValue>();
  const inside = Promise.withResolvers<undefined>();
  const step = journal.step(
    key,
    () => {
      inside.resolve(undefined);
      return hanging.promise;
    },
    options,
  );
  step.catch(() => undefined);
  await inside.promise;
  return { step, resolve: hanging.resolve };
}

/** Other arguments than the journal's, as a script that is not deterministic would have them. */
function forged(journal: RunJournal): RunJournal {
  return {
    ...journal,
    async step(key, execute, options) {
      const step = await journal.step(key, execute, options);
      if (key !== "1" || step.kind !== "done") return step;
      const text = JSON.stringify(step.value).replace(/"hash":"[0-9a-f]+"/, '"hash":"0"');
      return { ...step, value: JSON.parse(text) as JsonValue };
    },
  };
}

function otherEngine(journal: RunJournal): RunJournal {
  return {
    ...journal,
    async step(key, execute, options) {
      const step = await journal.step(key, execute, options);
      if (key !== "engine" || step.kind !== "done" || typeof step.value !== "string") return step;
      const engine = JSON.parse(step.value) as Record<string, JsonValue>;
      return { ...step, value: JSON.stringify({ ...engine, v8: "1.0" }) };
    },
  };
}

/** A few at a time. */
async function each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all([worker(), worker()]);
}

function valueOf(result: DurableResult): unknown {
  if (result.state === "ended" && result.outcome.ok) return result.outcome.value;
  throw new ConformanceError(`the run did not end well: ${textOf(result)}`);
}

function errorOf(result: DurableResult): readonly [string, string] {
  if (result.state === "ended" && !result.outcome.ok)
    return [result.outcome.error.kind, result.outcome.error.message];
  throw new ConformanceError(`the run should have ended with an error: ${textOf(result)}`);
}

function waitingFor(result: DurableResult): readonly (readonly [string, string])[] {
  if (result.state === "parked") return result.waitingFor.map(({ key, call }) => [key, call.name]);
  throw new ConformanceError(`the run should be parked: ${textOf(result)}`);
}

function changedParts(result: DurableResult): readonly string[] {
  if (result.state === "halted" && result.halt.kind === "changed")
    return result.halt.differences.map(({ part }) => part);
  throw new ConformanceError(`the run should not go on here: ${textOf(result)}`);
}

const textOf = (result: DurableResult): string => JSON.stringify(result).slice(0, 500);

async function rejects(running: Promise<unknown>): Promise<boolean> {
  try {
    await running;
    return false;
  } catch {
    return true;
  }
}
