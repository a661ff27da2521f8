import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import type { ApprovalAnswer } from "../../src/gate/approver.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { openPolicy } from "../../src/node/open-policy.ts";
import { tempFolders } from "../node/temp-folder.ts";

const folder = tempFolders();

/** A gate with the real engine over a real policy file. */
function open(
  rules: readonly object[],
  answer: ApprovalAnswer = { kind: "approved" },
  tools: Readonly<Record<string, object>> = {},
  limits: GateOptions["limits"] = {},
) {
  const cwd = folder();
  const path = join(folder(), "policy.jsonc");
  writeFileSync(path, JSON.stringify({ version: 1, rules, tools }));
  const policy = openPolicy({ files: [{ path, layer: "user" }], home: cwd, cwd });
  expect(policy.status()).toMatchObject([{ state: "loaded" }]);
  const asked: string[] = [];
  const gate = createGate({
    engine: policy.engine,
    facts: policy.facts,
    gatherMs: 0,
    limits,
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
  const ended = (callId: string): void => void gate.settled({ callId }, { isError: false });
  return { asked, decide, run, ended };
}

const all = { id: "commands", effect: "allow", command: { program: "*" } };
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

describe("a loop is seen through what makes no difference", () => {
  const loop = { id: "loop", effect: "ask", tool: "*", loop: { identical: 3 } };
  const shell = { shell: { argument: "command" } };
  const lines = ["ls -l src", "ls  -l src ", "ls -l src # once more", "\nls -l src"];

  it.each([
    ["blanks of a text", lines.slice(0, 2).map((about) => ({ about })), "note"],
    ["blanks and comments of a command", lines.map((command) => ({ command })), "sh"],
    [
      "the order of keys",
      [
        { a: 1, b: { c: 1, d: 2 } },
        { b: { d: 2, c: 1 }, a: 1 },
      ],
      "note",
    ],
  ])("%s", async (_title, inputs, name) => {
    const { asked, run } = open([{ id: "all", effect: "allow", tool: "*" }, all, loop], undefined, {
      sh: shell,
    });
    await run(name, "the same", inputs[0]);
    await run(name, "the same", inputs[0]);
    expect(asked).toEqual([]);
    for (const input of inputs.slice(1)) {
      await run(name, "the same", input);
      expect(asked.splice(0)).toEqual(["loop"]);
    }
  });

  it("and not where the words, the folder or a here-document differ", async () => {
    const { asked, run } = open([all, loop], undefined, { sh: shell });
    const others = ["ls a", "ls b", "ls 'a '", "cd x && ls a", "cat <<E\n1\nE", "cat <<E\n2\nE"];
    for (const command of [...others, ...others]) await run("sh", "the same", { command });
    expect(asked).toEqual([]);
  });
});

describe("a budget outlives the calls that are remembered", () => {
  it("however many other calls, or denied ones, come in between", async () => {
    const { run, asked } = open([
      { id: "all", effect: "allow", tool: "*" },
      { id: "never", effect: "deny", tool: "no" },
      { id: "deploys", effect: "ask", tool: "deploy" },
      { id: "budget", effect: "deny", tool: "note", limit: { calls: 2, per: "session" } },
      { id: "questions", effect: "deny", tool: "deploy", limit: { prompts: 1, per: "session" } },
    ]);
    await run("note", "1");
    await run("note", "2");
    await run("deploy", "1");
    for (let count = 0; count < 1_200; count += 1) await run(count % 2 === 0 ? "other" : "no", `${count}`);
    expect(await run("note", "3")).toMatchObject({ effect: "deny", rule: "budget" });
    expect(await run("deploy", "2")).toMatchObject({ effect: "deny", rule: "questions" });
    expect(asked).toEqual(["deploys"]);
  });

  it("and so do the questions that it counts, those that were declined among them", async () => {
    for (const answer of ["approved", "declined"] as const) {
      const limited = open(
        [
          { id: "all", effect: "allow", tool: "*" },
          { id: "deploys", effect: "ask", tool: "deploy" },
          { id: "questions", effect: "deny", tool: "deploy", limit: { prompts: 2, per: "session" } },
        ],
        { kind: answer },
        {},
        { maxHistory: 2 },
      );
      await limited.run("deploy", "1", { to: "a" });
      for (let count = 0; count < 4; count += 1) await limited.run("other", `${count}`);
      expect((await limited.run("deploy", "2", { to: "b" })).rule).toBe("deploys");
      for (let count = 0; count < 4; count += 1) await limited.run("other", `${count}`);
      expect(await limited.run("deploy", "3", { to: "c" })).toMatchObject({
        effect: "deny",
        rule: "questions",
      });
      expect(limited.asked).toEqual(["deploys", "deploys"]);
    }
  });

  it("that is larger than their number, for a session, a tool and a root call", async () => {
    for (const per of ["session", "tool", "chain", "script"] as const) {
      const { decide, asked, ended } = open([
        { id: "all", effect: "allow", tool: "*" },
        { id: "budget", effect: "deny", tool: "note", limit: { calls: 1_100, per } },
      ]);
      for (let count = 0; count < 1_100; count += 1) {
        const { callId, effect } = await decide("note", {}, "script");
        expect(effect).toBe("allow");
        ended(callId);
      }
      expect(await decide("note", {}, "script")).toMatchObject({ effect: "deny", rule: "budget" });
      expect((await decide("note", {}, "another")).effect).toBe(
        per === "session" || per === "tool" ? "deny" : "allow",
      );
      expect(asked).toEqual([]);
    }
  });
});
