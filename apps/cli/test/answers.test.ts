import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";

import { describe, expect, it } from "vitest";

import { createAnswers } from "../src/compose/answers.ts";
import { main } from "../src/program.ts";
import { callDuration } from "../src/report/human.ts";
import type { RunReport } from "../src/report/json.ts";
import { fixtureTools } from "./support/nestbox.ts";

/** Runs a script at a terminal whose person gives these answers, each to the next question. */
async function atTerminal(code: string, answers: readonly string[], ...more: readonly string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 120 });
  const stdout = new PassThrough({ encoding: "utf8" });
  const left = [...answers];
  let said = "";
  let asked = 0;
  stderr.on("data", (text: string) => {
    said += text;
    const questions = said.split("y, s, n or q > ").length - 1;
    if (questions === asked) return;
    asked = questions;
    // Longer than what was typed ahead counts for.
    const answer = left.shift() ?? "n";
    setTimeout(() => stdin.write(answer === "\u0003" ? answer : `${answer}\n`), 400);
  });
  const args = ["run", "--eval", code, "--tools", fixtureTools, ...more];
  const exitCode = await main(args, { stdin, stdout, stderr }, new AbortController().signal);
  return { said: stripVTControlCharacters(said), out: String(stdout.read() ?? ""), exitCode, asked };
}

describe("what a person answered", () => {
  it("is told as theirs, with the rule that asked, and the time of the question apart", async () => {
    const { said } = await atTerminal(
      "await tools.deploy({}); await tools.deploy({}); await tools.deploy({})",
      ["y", "s"],
    );
    expect(said).toContain("allow deploy  you, once (asked by default.annotations)");
    expect(said).toContain("allow deploy  you, for this run (asked by default.annotations)");
    expect(said).toContain("allow deploy  you, earlier in this run (asked by default.annotations)");
    expect(said).toMatch(/deploy +ok +\d+ ms \(\+[\d.]+ m?s asked\)/);
  }, 60_000);

  it("is told when it was no", async () => {
    const { said } = await atTerminal("await tools.deploy({})", ["n"]);
    expect(said).toContain("deny  deploy  you (asked by default.annotations)");
  }, 60_000);

  it.each([
    ["q", "stopped at a question", "denied"],
    ["\u0003", "interrupted", "cancelled"],
  ])(
    "%j ends the script, though it would catch what a call ends with",
    async (key, message, status) => {
      const code = `for (const n of [1, 2, 3]) try { await tools.deploy({ n }) } catch (error) { text(error.message) }
        return "went on to the end"`;
      const { out, asked, exitCode } = await atTerminal(code, [key, key, key], "--json");
      const report = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as RunReport;
      expect(report).toMatchObject({ ok: false, error: { kind: "aborted", message } });
      expect(report.calls[0]).toMatchObject({ name: "deploy", status });
      // What it still tries before it is ended is denied without a question.
      expect(report.calls.filter((call) => call.status === "ok")).toEqual([]);
      expect([asked, exitCode]).toEqual([1, 130]);
    },
    60_000,
  );

  it("is in the JSON object, and not where nobody was asked", async () => {
    const { out } = await atTerminal("await tools.deploy({}); await tools.double({ n: 1 })", ["y"], "--json");
    const report = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as RunReport;
    expect(report.calls.map(({ name, answer }) => [name, answer])).toEqual([
      ["deploy", "once"],
      ["double", undefined],
    ]);
  }, 60_000);

  it("is nothing where nobody answered", () => {
    const answers = createAnswers();
    for (const answer of ["timeout", "cancelled", "no-approver", "unavailable", "failed"] as const)
      answers.onDecision({
        request: { callId: "1", chain: [], tool: { name: "deploy" } },
        verdict: { decision: { effect: "deny", rule: "r", layer: "user" } },
        answer,
      } as unknown as Parameters<typeof answers.onDecision>[0]);
    expect(answers.of("1")).toBeUndefined();
    expect(callDuration({ durationMs: 74_812, runMs: 12 }, undefined)).toBe("74.81 s");
    expect(callDuration({ durationMs: 74_812, runMs: 12 }, "once")).toBe("12 ms (+74.80 s asked)");
    expect(callDuration({ durationMs: 74_812 }, "no")).toBe("74.81 s");
  });
});
