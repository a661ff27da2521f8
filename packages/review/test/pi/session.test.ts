import { registerTools } from "@nestbox/tool/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import {
  createCodemodeExtension,
  type ExtensionAPI,
  type ToolCallEventResult,
} from "@earendil-works/pi-coding-agent";
import { beforeAll, describe, expect, test } from "vitest";

import { reviewNamespace } from "../../src/index.ts";
import { createReviewTools } from "../../src/node/index.ts";
import { reviewRenderers } from "../../src/pi/index.ts";
import type { ReviewReport } from "../../src/review.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";

beforeAll(withProgramsOnPath);

/** An extension with the review tools, their looks, and a handler that sees every call. */
function reviewExtension(
  seen: string[],
  options: {
    readonly block?: (name: string) => boolean;
    readonly activate?: (active: readonly string[]) => readonly string[];
  } = {},
) {
  const { block, activate } = options;
  return (pi: ExtensionAPI): void => {
    registerTools(pi, createReviewTools({ dangers: [] }));
    pi.registerToolRenderer(reviewRenderers);
    if (activate !== undefined)
      pi.on("session_start", () => pi.setActiveTools([...activate(pi.getActiveTools())]));
    pi.on("tool_call", (event): ToolCallEventResult | undefined => {
      seen.push(event.toolName);
      return block?.(event.toolName) === true ? { block: true, reason: "Blocked by the policy" } : undefined;
    });
  };
}

describe("in a real Pi session", () => {
  // contract A3, A9, A16, A17, A19
  test("review_diff calls its parts through the host, each once, and its result carries their record", async () => {
    using repository = makeCart();
    const seen: string[] = [];
    await using pi = await scriptedPiSession({ cwd: repository.path, extensions: [reviewExtension(seen)] });
    expect(pi.errors).toEqual([]);
    expect(pi.activeTools()).toEqual(expect.arrayContaining(["run_checks", "failing_tests", "review_diff"]));
    expect(pi.activeTools()).not.toContain("collect_diff");
    expect(pi.activeTools()).not.toContain("dangerous_commands");
    await pi.prompt("review", [call("review_diff", {}), "done"]);
    expect(seen.toSorted()).toEqual([
      "collect_diff",
      "dangerous_commands",
      "failing_tests",
      "review_diff",
      "run_checks",
    ]);
    const report = pi.toolResults()[0]?.details as ReviewReport;
    expect(report.verdict).toBe("findings");
    expect(report.findings.map(({ kind, file, inDiff }) => `${kind} ${file} ${inDiff}`).toSorted()).toEqual([
      "test test/cart.test.ts true",
      "typecheck src/cart.ts true",
    ]);
    expect(pi.resultText()).toContain("src/cart.ts:2");
    const starts = pi.events.flatMap((event) => (event.type === "tool_execution_start" ? [event] : []));
    const [root, ...nested] = starts;
    expect(nested.map(({ toolCallId }) => toolCallId).toSorted()).toEqual(
      [1, 2, 3, 4].map((n) => `${root?.toolCallId}/${n}`),
    );
    expect(nested.every((event) => event.parentToolCallId === root?.toolCallId)).toBe(true);
    const record = pi.nestedCalls().get(root?.toolCallId ?? "");
    expect(record?.calls.map(({ name }) => name).toSorted()).toEqual([
      "collect_diff",
      "dangerous_commands",
      "failing_tests",
      "run_checks",
    ]);
  });

  // contract A8, B13
  test("what a handler blocks and what the session filters out is told as missing, and asked for once", async () => {
    using repository = makeCart();
    const seen: string[] = [];
    await using pi = await scriptedPiSession({
      cwd: repository.path,
      extensions: [reviewExtension(seen, { block: (name) => name === "failing_tests" })],
      excludeTools: ["dangerous_commands"],
    });
    await pi.prompt("review", [call("review_diff", {}), "done"]);
    const report = pi.toolResults()[0]?.details as ReviewReport;
    expect(report.missing).toMatchObject([
      { part: "failing_tests", reason: "denied" },
      { part: "dangerous_commands", reason: "not-available" },
    ]);
    expect(seen.filter((name) => name === "failing_tests")).toHaveLength(1);
    // A denied act is not done by another name.
    expect(report.checks.map(({ kind }) => kind)).toEqual(["typecheck"]);
  });

  // contract A1, A20
  test("what is registered and not active is told as missing, and the rest is done without it", async () => {
    using repository = makeCart();
    const seen: string[] = [];
    const without = (active: readonly string[]) => active.filter((name) => name !== "run_checks");
    await using pi = await scriptedPiSession({
      cwd: repository.path,
      extensions: [reviewExtension(seen, { activate: without })],
    });
    expect(pi.session.getAllTools().map(({ name }) => name)).toContain("run_checks");
    expect(pi.activeTools()).not.toContain("run_checks");
    expect(pi.activeTools()).toContain("review_diff");
    await pi.prompt("review", [call("review_diff", {}), "done"]);
    const [result] = pi.toolResults();
    expect(result?.isError).toBe(false);
    const report = result?.details as ReviewReport;
    expect(report.missing.map(({ part, reason }) => ({ part, reason }))).toEqual([
      { part: "run_checks", reason: "not-available" },
    ]);
    expect(seen).not.toContain("run_checks");
    expect(report.checks).toEqual([]);
    expect(report.findings.map(({ kind, file }) => `${kind} ${file}`)).toEqual(["test test/cart.test.ts"]);
    expect(pi.resultText()).toContain("run_checks");
  });

  // contract A21
  test("a script reads the namespace's guidance, and which tools are in it, with describeNamespace", async () => {
    const withScripts = (active: readonly string[]) => [...active, "codemode"];
    await using pi = await scriptedPiSession({
      extensions: [createCodemodeExtension(), reviewExtension([], { activate: withScripts })],
    });
    await pi.prompt("look", [
      call("codemode", { code: 'text(JSON.stringify(await describeNamespace("review")));' }),
      "done",
    ]);
    expect(pi.resultText()).toContain("Script completed");
    const json = /^\{.*$/m.exec(pi.resultText())?.[0] ?? "";
    expect(JSON.parse(json)).toEqual({
      name: "review",
      description: reviewNamespace.description,
      instructions: reviewNamespace.instructions,
      tools: ["run_checks", "failing_tests", "collect_diff", "dangerous_commands", "review_diff"],
    });
  });

  // contract A4, A5, A9
  test("a check that fails is data: no error, exit code in content and in details", async () => {
    using repository = makeCart();
    await using pi = await scriptedPiSession({ cwd: repository.path, extensions: [reviewExtension([])] });
    await pi.prompt("check", [call("run_checks", { skipTests: "true" }), "done"]);
    const [result] = pi.toolResults();
    expect(result?.isError).toBe(false);
    expect(result?.details).toMatchObject({
      ok: false,
      steps: [{ kind: "typecheck", exitCode: expect.any(Number), status: "failed" }],
    });
    expect(pi.resultText()).toMatch(/typecheck: failed \(exit code \d/);
  });
});

// contract A21, A24
describe("the descriptions are rules for choosing", () => {
  const tools = createReviewTools({ dangers: [] });

  test("each says when to call it, what it accepts, what it returns, and what to use instead", () => {
    for (const { description } of tools) {
      expect(description).toMatch(/Call it /);
      expect(description).toMatch(/Accepts |Knows /);
      expect(description).toMatch(/Returns |returns /);
    }
    // Each names the tools of the namespace to use instead, and no other sentence does.
    const instead = tools.map(({ name, description }) => {
      const sentence = description.split(/(?<=\.) |; /).filter((part) => /\buse [a-z_]+_/.test(part));
      const named = tools.filter((tool) => sentence.some((part) => part.includes(tool.name)));
      return [name, named.map((tool) => tool.name)];
    });
    expect(instead).toEqual([
      ["run_checks", ["failing_tests", "review_diff"]],
      ["failing_tests", ["run_checks", "review_diff"]],
      ["collect_diff", ["review_diff"]],
      ["dangerous_commands", ["review_diff"]],
      ["review_diff", ["run_checks", "failing_tests", "collect_diff"]],
    ]);
    // What runs the project's code says what not to do as well.
    for (const { name, description, exposure } of tools)
      expect([name, /Do not (?:run|substitute) a .*command of your own/.test(description)]).toEqual([
        name,
        exposure === "direct",
      ]);
  });

  test("the namespace's instructions say what to call before reporting, and not to replace it", () => {
    expect(reviewNamespace.instructions).toMatch(/review_diff before you report on a diff/);
    expect(reviewNamespace.instructions).toMatch(/project's own checks/);
    expect(reviewNamespace.instructions).toMatch(/Do not substitute a command of your own/);
    expect(tools.every((tool) => tool.namespace?.name === "review")).toBe(true);
  });

  test("the active tools stand in the system prompt, with when to call review_diff", async () => {
    await using pi = await scriptedPiSession({ extensions: [reviewExtension([])] });
    expect(pi.session.systemPrompt).toMatch(/run_checks.*failing_tests.*review_diff/s);
    expect(pi.session.systemPrompt).toContain("Call review_diff before you report on a diff");
    expect(pi.session.systemPrompt).not.toContain("collect_diff:");
  });

  // contract A3, A5, A6
  test("exposures and hints are what the tools do", () => {
    const facts = tools.map(({ name, exposure, annotations }) => [
      name,
      exposure,
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
      annotations?.idempotentHint,
      annotations?.openWorldHint,
    ]);
    // A hint that is not given takes the MCP default: destructive, not idempotent, open world.
    expect(facts).toEqual([
      ["run_checks", "direct", false, undefined, undefined, undefined],
      ["failing_tests", "direct", false, undefined, undefined, undefined],
      ["collect_diff", "codemode", true, false, true, false],
      ["dangerous_commands", "deferred", true, false, true, false],
      ["review_diff", "direct", true, false, true, false],
    ]);
  });
});
