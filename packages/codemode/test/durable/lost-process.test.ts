import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { fakeTools } from "../../src/durable/conformance/fake-tools.ts";
import {
  createMemoryJournal,
  type DurableResult,
  runDurable,
  type RunJournal,
} from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";

const runner = createRunner({ maxProcesses: 2 });
afterAll(() => runner.close());

/** Calls one after the other, at once, and by what came first; a call that was interrupted counts as lost. */
const CODE = `
  const made = [], lost = [];
  const call = (n) => tools.effect({ n }).then((r) => made.push(r.n), (e) => e.name === "InterruptedError" ? lost.push(n) : Promise.reject(e));
  await call(1);
  await Promise.all([2, 3, 4].map(call));
  await Promise.race([call(5), call(6)]);
  await new Promise((r) => setTimeout(r, 1));
  await call(7);
  await Promise.all([8, 9].map(async (n) => { await call(n); await call(n * 10); }));
  return { made: made.toSorted((a, b) => a - b), lost: lost.toSorted((a, b) => a - b) };`;
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 80, 90];

/** A process that is gone at its `at`-th step: before it, or after it was kept. */
function dying(journal: RunJournal, at: number, after: boolean): RunJournal {
  let steps = 0;
  let dead = false;
  return {
    ...journal,
    async step(key, execute, options) {
      if (dead) return await new Promise<never>(() => undefined);
      const dies = ++steps === at;
      const step = dies && !after ? undefined : await journal.step(key, execute, options);
      if (!dies && !dead && step !== undefined) return step;
      dead = true;
      throw new Error("The process is gone");
    },
  };
}

test(
  "wherever processes vanish, each call has its effect once, and each is made or told as lost",
  { timeout: 300_000 },
  async () => {
    let deaths = 0;
    let losses = 0;
    const place = fc.record({ at: fc.integer({ min: 1, max: 25 }), after: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(place, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 5, maxLength: 5 }),
        async (places, ms) => {
          const storage = createMemoryJournal();
          const effects: string[] = [];
          const carryOn = (journal: RunJournal): Promise<DurableResult> => {
            const { callerFor } = fakeTools({
              latency: (n) => ms[n % ms.length] ?? 0,
              onEffect: (text) => effects.push(text),
            });
            return runDurable({ runner, journal, callerFor, script: { code: CODE } });
          };
          for (const { at, after } of places) {
            const result = await carryOn(dying(storage.run("a"), at, after));
            if (result.state === "halted") deaths++;
          }
          const result = await carryOn(storage.run("a"));
          const outcome = result.state === "ended" ? result.outcome : undefined;
          const { made = [], lost = [] } = (outcome?.ok === true ? outcome.value : {}) as {
            made?: number[];
            lost?: number[];
          };
          losses += lost.length;
          // Five and six race: one of them may come after the end of what is counted, never twice.
          expect([...new Set([...made, ...lost])]).toHaveLength(made.length + lost.length);
          expect(ALL.filter((n) => !made.includes(n) && !lost.includes(n) && n !== 5 && n !== 6)).toEqual([]);
          expect(effects).toHaveLength(new Set(effects).size);
          expect(made.filter((n) => !effects.includes(`effect:${n}`))).toEqual([]);
          // Whoever asks again gets the same end.
          expect(await carryOn(storage.run("a"))).toEqual(result);
        },
      ),
      { numRuns: 60, seed: 30_11_27 },
    );
    expect(deaths).toBeGreaterThan(40);
    expect(losses).toBeGreaterThan(0);
  },
);
