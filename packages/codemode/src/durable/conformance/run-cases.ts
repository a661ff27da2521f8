import type { JsonValue } from "@nestbox/tool";
import { holds, same } from "../../conformance/driver-conformance.ts";
import type { RunJournal } from "../journal.ts";
import { cancelDurable } from "../run-durable.ts";
import { type Case, type Views, YES } from "./cases.ts";
import { changedParts, errorOf, valueOf, waitingFor } from "./checks.ts";
import { fakeTools } from "./fake-tools.ts";

const FOREVER = new AbortController().signal;

/** What a run promises, whichever process carries it on. */
export function runCases({ journal, go }: Views): readonly Case[] {
  return [
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
  ];
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
