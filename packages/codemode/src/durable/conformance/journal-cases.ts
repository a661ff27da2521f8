import type { JsonValue } from "@nestbox/tool";
import { holds, same } from "../../conformance/driver-conformance.ts";
import type { RunJournal } from "../journal.ts";
import type { Case, Views } from "./cases.ts";
import { rejects } from "./checks.ts";

const FOREVER = new AbortController().signal;

/** What `step`, `wait` and `wake` promise, without a script. */
export function journalCases({ journal }: Views): readonly Case[] {
  return [
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
  ];
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
