import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import type { ApprovalAnswer } from "../../src/gate/approver.ts";
import { createGate } from "../../src/gate/gate.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { tempFolders } from "../node/temp-folder.ts";

const folder = tempFolders();

/** A gate with the real engine over a real policy file. */
function open(rules: readonly object[], answer: ApprovalAnswer = { kind: "approved" }) {
  const cwd = folder();
  const path = join(folder(), "policy.jsonc");
  writeFileSync(path, JSON.stringify({ version: 1, rules }));
  const policy = openPolicy({ files: [{ path, layer: "user" }], home: cwd, cwd });
  expect(policy.status()).toMatchObject([{ state: "loaded" }]);
  const asked: string[] = [];
  const gate = createGate({
    engine: policy.engine,
    facts: policy.facts,
    gatherMs: 0,
    approver: {
      ask: async ({ item }) => {
        asked.push(item.rule);
        return answer;
      },
    },
  });
  let count = 0;
  const decide = async (name: string, input: JsonObject = {}, script?: string) => {
    count += 1;
    const callId = script === undefined ? `call-${count}` : `${script}/${count}`;
    const { effect, decision } = await gate.decide({
      callId,
      chain: script === undefined ? [] : [{ callId: script, toolName: "codemode" }],
      tool: { name, source: { kind: "extension" } },
      input,
      cwd,
      actor: "agent",
    });
    return { callId, effect, rule: decision.rule };
  };
  /** Decides a call and lets it end with this text. */
  const run = async (name: string, text: string, input: JsonObject = {}) => {
    const decided = await decide(name, input);
    gate.settled(
      { callId: decided.callId },
      { isError: false, result: { content: [{ type: "text", text }] } },
    );
    return { effect: decided.effect, rule: decided.rule };
  };
  return { asked, decide, run };
}

const asks = { id: "deploys", effect: "ask", tool: "deploy" };
const allows = { id: "notes", effect: "allow", tool: "note" };

describe("a budget of questions counts the questions that a person was really asked", () => {
  it.each([
    ["said yes to", { kind: "approved" }, "allow"],
    ["said no to", { kind: "declined" }, "deny"],
  ] as const)(
    "those that they %s: the next call is denied, and nobody is asked",
    async (_title, answer, first) => {
      const budget = { id: "enough", effect: "deny", tool: "*", limit: { prompts: 1, per: "session" } };
      const { asked, decide } = open([asks, allows, budget], answer);
      expect(await decide("note")).toMatchObject({ effect: "allow", rule: "notes" });
      expect(await decide("deploy", { to: "a" })).toMatchObject({ effect: first, rule: "deploys" });
      expect(await decide("deploy", { to: "b" })).toMatchObject({ effect: "deny", rule: "enough" });
      expect(await decide("note")).toMatchObject({ effect: "deny", rule: "enough" });
      expect(asked).toEqual(["deploys"]);
    },
  );

  it("or asks about what would have passed, when that is what the rule says", async () => {
    const budget = { id: "enough", effect: "ask", tool: "*", limit: { prompts: 1, per: "session" } };
    const { asked, decide } = open([asks, allows, budget]);
    await decide("note");
    await decide("deploy");
    expect(asked).toEqual(["deploys"]);
    expect(await decide("note")).toMatchObject({ effect: "allow", rule: "enough" });
    expect(asked).toEqual(["deploys", "enough"]);
  });

  it("for each script by itself", async () => {
    const budget = { id: "enough", effect: "deny", tool: "*", limit: { prompts: 1, per: "script" } };
    const { asked, decide } = open([asks, allows, budget]);
    expect(await decide("deploy", { to: "a" }, "s1")).toMatchObject({ effect: "allow" });
    expect(await decide("deploy", { to: "b" }, "s1")).toMatchObject({ effect: "deny", rule: "enough" });
    expect(await decide("deploy", { to: "b" }, "s2")).toMatchObject({ effect: "allow" });
    expect(asked).toEqual(["deploys", "deploys"]);
  });
});

describe("a loop is seen in the results that calls really gave", () => {
  const loops = [
    allows,
    { id: "loop", effect: "ask", tool: "*", loop: { identical: 3 } },
    { id: "cycle", effect: "ask", tool: "*", loop: { cycles: 2 } },
  ];

  it("the same call with the same result is asked about", async () => {
    const { asked, run } = open(loops);
    await run("note", "the same");
    await run("note", "the same");
    expect(asked).toEqual([]);
    expect(await run("note", "the same")).toEqual({ effect: "allow", rule: "loop" });
    expect(asked).toEqual(["loop"]);
  });

  it("another result, other arguments or a call that has not ended are none", async () => {
    const { asked, decide, run } = open(loops);
    for (const text of ["1", "2", "3"]) await run("note", text);
    for (const about of ["a", "b", "c"]) await run("note", "the same", { about });
    for (let count = 0; count < 3; count += 1) await decide("note", { about: "open" });
    expect(asked).toEqual([]);
  });

  it("a round of calls that gives the same again is asked about", async () => {
    const { asked, run } = open(loops);
    await run("note", "x", { about: "a" });
    await run("note", "y", { about: "b" });
    await run("note", "x", { about: "a" });
    expect(asked).toEqual([]);
    expect(await run("note", "y", { about: "b" })).toEqual({ effect: "allow", rule: "cycle" });
  });
});
