import { same } from "../../conformance/driver-conformance.ts";
import { type Case, type Views, YES } from "./cases.ts";
import { each, valueOf, waitingFor } from "./checks.ts";
import { fakeTools } from "./fake-tools.ts";

export interface Load {
  readonly parkedRuns: number;
  readonly calls: number;
  readonly bigChars: number;
}

/** Many calls, many runs, large values. */
export function loadCases(
  { journal, go, view }: Views,
  { parkedRuns, calls, bigChars }: Load,
): readonly Case[] {
  return [
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
}
