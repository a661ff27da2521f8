import { readdirSync, readFileSync } from "node:fs";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import reviewGuard from "../src/extension.ts";
import { changedCart, type ChangedCart } from "@nestbox/example-projects/changed-cart";

let cart: ChangedCart;

beforeEach(() => {
  cart = changedCart();
  vi.stubEnv("PI_CODING_AGENT_DIR", cart.agentDir);
  vi.stubEnv("TMPDIR", cart.temp);
});

afterEach(() => {
  vi.unstubAllEnvs();
  cart[Symbol.dispose]();
});

// Nobody is there to be asked: what happens here is what the policy allows.
const session = () => scriptedPiSession({ cwd: cart.project, extensions: [reviewGuard] });

describe("the review guard", () => {
  // contract A3, A9, A15, A17
  it("reviews a change for the model: what fails, and where the change is to blame", async () => {
    await using pi = await session();
    expect(pi.errors).toEqual([]);
    await pi.prompt("Review my change", [call("review_diff"), "One type error, and two tests fail."]);

    const [result] = pi.toolResults();
    expect(result?.isError).toBe(false);
    // The text names the place, the evidence and the change that is to blame.
    expect(pi.resultText()).toContain("error src/cart.ts:13 (typecheck, changed line): TS2322");
    expect(pi.resultText()).toContain("error test/cart.test.ts:14 (test, in the diff through src/cart.ts)");
    expect(
      pi
        .nestedCalls()
        .get("call-1")
        ?.calls.map(({ name, status }) => [name, status]),
    ).toEqual(
      expect.arrayContaining([
        ["collect_diff", "ok"],
        ["run_checks", "ok"],
        ["failing_tests", "ok"],
        ["dangerous_commands", "ok"],
      ]),
    );
  });

  // contract C3, A9
  it("gives a script the same review as data", async () => {
    await using pi = await session();
    const code = `
      const [review, { entries }] = await Promise.all([tools.review_diff({}), tools.dangerous_commands({})]);
      return {
        verdict: review.verdict,
        findings: review.findings.map(({ source, file, line, changedLine, related }) =>
          [source, file, line, changedLine, related ?? null]),
        missing: review.missing,
        denied: entries.filter(({ effect }) => effect === "deny").map(({ id }) => id),
      };`;
    await pi.prompt("Review my change", [call("codemode", { code }), "One mistake, three findings."]);
    const [, value = ""] = /\nOutput:\n\n(.*)$/s.exec(pi.resultText()) ?? [];
    expect(JSON.parse(value)).toEqual({
      verdict: "findings",
      findings: [
        ["run_checks", "src/cart.ts", 13, true, null],
        ["failing_tests", "test/cart.test.ts", 14, false, "src/cart.ts"],
        ["failing_tests", "test/receipt.test.ts", 7, false, "src/cart.ts"],
      ],
      missing: [],
      // The table of dangers is the policy's own, with the rule of this example in it.
      denied: expect.arrayContaining(["a-review-changes-nothing", "git.force-push"]),
    });
  });

  // contract A15, A23
  it("lets neither the model nor a script change anything", async () => {
    await using pi = await session();
    const before = cart.status();
    const code = `
      const calls = [
        ["write", { path: "src/cart.ts", content: "" }],
        ["bash", { command: "git push --force origin main" }],
        ["bash", { command: "echo > src/cart.ts" }],
      ];
      for (const [name, args] of calls) {
        const { isError, result } = await ctx.executeTool(name, args);
        text(isError + " " + result.content[0].text);
      }`;
    await pi.prompt("Mend it", [
      call("edit", { path: "src/cart.ts", edits: [{ oldText: '"0.9"', newText: "0.9" }] }),
      call("codemode", { code }),
      "I may not.",
    ]);
    expect(pi.resultText("call-1")).toContain("rule a-review-changes-nothing");
    const answers = pi.resultText("call-2").match(/^true Blocked \(rule \S+/gm);
    expect(answers).toEqual([
      "true Blocked (rule a-review-changes-nothing,",
      "true Blocked (rule git.force-push,",
      "true Blocked (rule a-review-changes-nothing,",
    ]);
    expect(cart.status()).toBe(before);
  });

  it("leaves nothing behind", async () => {
    const before = cart.status();
    {
      await using pi = await session();
      await pi.prompt("Review my change", [call("review_diff"), "Done."]);
    }
    expect(cart.status()).toBe(before);
    // Node's own cache of compiled modules is not ours.
    expect(readdirSync(cart.temp).filter((name) => name !== "node-compile-cache")).toEqual([]);
  });
});

it("is what its README shows", () => {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const shown = /```ts\n(.*?)```/s.exec(read("../README.md"))?.[1]?.trim().split("\n") ?? [];
  const lines = read("../src/extension.ts")
    .split("\n")
    .map((line) => line.trim());
  expect(shown).not.toEqual([]);
  expect(shown.filter((line) => !lines.includes(line))).toEqual([]);
});
