import { readFileSync } from "node:fs";
import { join } from "node:path";

import { createMemoryGrants, type DecisionRecord } from "@nestbox/policy";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { changedCart } from "@nestbox/example-projects/changed-cart";
import { examples } from "./support/examples.ts";

const script = readFileSync(join(examples, "review.ts"), "utf8");

describe("the review script in a real Pi session", () => {
  // contract C5, A3, A9, A15, A16, A17
  it("gives the result, the events, the record and the decisions of a command line run", async () => {
    using cart = changedCart();
    const decisions: DecisionRecord[] = [];
    await using pi = await scriptedPiSession({
      cwd: cart.project,
      extensions: [
        createNestbox({
          policy: {
            files: [{ path: join(examples, "review.policy.jsonc"), layer: "user" }],
            audit: false,
            grants: createMemoryGrants(),
            onDecision: (record) => void decisions.push(record),
          },
        }),
      ],
    });
    expect(pi.errors).toEqual([]);
    expect(pi.activeTools()).toEqual(
      expect.arrayContaining(["codemode", "run_checks", "failing_tests", "review_diff"]),
    );
    // contract A2: a codemode or deferred tool is registered and not active.
    expect(pi.activeTools()).not.toContain("collect_diff");
    expect(pi.activeTools()).not.toContain("dangerous_commands");

    await pi.prompt("review this", [call("codemode", { code: script }, "C"), "done"]);

    const text = pi.resultText("C");
    expect(text).toMatch(/^Script completed\nWall time \d+\.\d seconds\nOutput:\n/);
    const value = JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? "") as Record<string, unknown>;
    expect(value).toEqual({
      typeErrors: 1,
      failing: [
        { path: "test/cart.test.ts", names: ["a cart costs the sum of its lines"] },
        { path: "test/receipt.test.ts", names: ["a receipt ends with the total"] },
      ],
      changed: ["src/cart.ts"],
      denied: expect.stringContaining("checks-once"),
    });
    expect(text).toContain("<console_output>\nreview: 5 tools\n</console_output>");

    const record = pi.nestedCalls().get("C");
    expect(record?.complete).toBe(true);
    expect(record?.calls.map(({ name, status }) => [name, status])).toEqual([
      ["run_checks", "ok"],
      ["failing_tests", "ok"],
      ["collect_diff", "ok"],
      ["collect_diff", "ok"],
      ["review_diff", "error"],
    ]);
    expect(record?.calls.map(({ id }) => id)).toEqual(["C/1", "C/2", "C/3", "C/4", "C/5"]);
    expect(JSON.stringify(record)).not.toContain("receipt ends");

    const starts = pi.events.filter((event) => event.type === "tool_execution_start");
    expect(starts.map((event) => [event.toolName, event.parentToolCallId])).toEqual([
      ["codemode", undefined],
      ["run_checks", "C"],
      ["failing_tests", "C"],
      ["collect_diff", "C"],
      ["collect_diff", "C"],
      ["review_diff", "C"],
    ]);
    // contract A16: a nested call is no entry of the transcript.
    const ids = pi.toolResults().map(({ toolCallId }) => toolCallId);
    expect(ids).toEqual(["C"]);

    const byTool = decisions.map(({ request, verdict }) => [
      request.tool.name,
      verdict.effect,
      verdict.decision.rule,
    ]);
    expect(byTool).toContainEqual(["run_checks", "allow", "run-the-projects-checks"]);
    expect(byTool).toContainEqual(["review_diff", "deny", "checks-once"]);
    expect(decisions.find(({ request }) => request.tool.name === "codemode")?.verdict.effect).toBe("allow");
  });

  // contract A7, A8, A23
  it("asks nobody about a script, and denies a force push of it where nobody can be asked", async () => {
    using cart = changedCart();
    await using pi = await scriptedPiSession({
      cwd: cart.project,
      extensions: [createNestbox({ policy: { files: [], audit: false, grants: createMemoryGrants() } })],
    });
    await pi.prompt("push", [
      call("codemode", { code: `await tools.bash({ command: "git push --force origin main" })` }, "C"),
      "done",
    ]);
    expect(pi.resultText("C")).toMatch(/^Script failed/);
    expect(pi.resultText("C")).toMatch(/force/i);
    expect(pi.nestedCalls().get("C")?.calls).toMatchObject([{ name: "bash", status: "error" }]);
  });
});

describe("beside somebody else's extension that brings the same tools", () => {
  for (const order of ["before", "after"] as const) {
    it(`loaded ${order} it, Pi starts, there is one tool of each name, and a message says whose`, async () => {
      using cart = changedCart();
      const { createCodemodeExtension } = await import("@nestbox/codemode/pi");
      const { createReviewTools } = await import("@nestbox/review/node");
      const { toolExtension } = await import("@nestbox/tool/pi");
      const others = {
        name: "somebody-elses",
        factory: async (api: Parameters<ReturnType<typeof createNestbox>>[0]) => {
          await createCodemodeExtension({ active: true })(api);
          await toolExtension(createReviewTools({ dangers: [] }))(api);
        },
      };
      const ours = {
        name: "nestbox",
        factory: createNestbox({ policy: { files: [], audit: false, grants: createMemoryGrants() } }),
      };
      await using pi = await scriptedPiSession({
        cwd: cart.project,
        ui: {},
        extensions: order === "before" ? [ours, others] : [others, ours],
      });
      expect(pi.errors).toEqual([]);
      const names = pi.session.getAllTools().map(({ name }) => name);
      expect(names.filter((name) => name === "codemode")).toHaveLength(1);
      expect(names.filter((name) => name === "run_checks")).toHaveLength(1);
      expect(pi.ui?.notifications).toEqual([
        {
          message: expect.stringMatching(/codemode, run_checks.*registered by .*somebody-elses/),
          type: "warning",
        },
      ]);
      await pi.prompt("run", [call("codemode", { code: "return 1 + 1" }, "C"), "done"]);
      expect(pi.resultText("C")).toContain("2");
    });
  }
});
