import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { parseRecording, recordingText, recordRun, replayRecording } from "../../src/durable/index.ts";
import { createRunner } from "../../src/node/index.ts";
import { durableTools, hostFunctions } from "./harness.ts";

const runner = createRunner({ maxProcesses: 2 });
afterAll(() => runner.close());

/** What these give depends on the order in which their calls and timers come, and on nothing else. */
const ORDERED = [
  "const seen = []; await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((i) => tools.work({ i }).then(() => seen.push([i, Date.now()])))); return seen",
  "const seen = []; await Promise.all([0, 1, 2].map(async (w) => { for (let i = 0; i < 3; i++) { await tools.work({ w, i }); seen.push(w * 10 + i) } })); return seen",
  "const seen = []; await Promise.all([1, 2, 3, 4].flatMap((ms) => [new Promise((r) => setTimeout(() => { seen.push('t' + ms); r() }, ms)), tools.work({ i: ms }).then(() => seen.push('c' + ms))])); return [seen, performance.now()]",
  "let winner = ''; for (let round = 0; round < 4; round++) winner += (await Promise.race([1, 2, 3].map((i) => tools.work({ i, round })))).i; return winner",
  "const queue = [...Array(9).keys()], done = []; await Promise.all([1, 2, 3].map(async (w) => { while (queue.length) { const i = queue.shift(); await (i % 2 ? tools.work({ i }) : host.double(i)); done.push([w, i]) } })); return done",
  "const out = []; await Promise.all(['a', 'b', 'c'].map(async (x) => { try { await (x === 'b' ? tools.fail({ x }) : tools.work({ x })); out.push(x + (await tools.other({ place: out.length })).place) } catch (error) { out.push(error.message) } })); return out",
];

// hostile 47
test("whatever order results come in, a recording repeats it", { timeout: 300_000 }, async () => {
  const orders = new Set<string>();
  const latencies = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ORDERED), latencies, async (code, ms) => {
      const caller = durableTools((call) => ms[call % ms.length] ?? 0);
      const request = { code, caller, globals: hostFunctions };
      const parsed = parseRecording(recordingText((await recordRun({ runner, request })).recording));
      if (!parsed.ok) throw new Error(parsed.message);
      const { recording } = parsed;
      const made = caller.made.length;
      const replayed = await replayRecording({ runner, recording });
      if (replayed.kind !== "equal") throw new Error(JSON.stringify(replayed));
      expect(caller.made.length).toBe(made);
      if (recording.outcome.ok) orders.add(JSON.stringify(recording.outcome.value));
    }),
    { numRuns: 150, seed: 30_11_26 },
  );
  // The orders did differ: nothing was proved otherwise.
  expect(orders.size).toBeGreaterThan(40);
});
