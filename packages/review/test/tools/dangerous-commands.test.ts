import type { DangerEntry, RunnableTool } from "@nestbox/tool";
import { runTool } from "@nestbox/tool/testing";
import { describe, expect, test } from "vitest";

import type { DangersReport } from "../../src/dangers.ts";
import { createReviewTools } from "../../src/node/index.ts";

const entry = (
  id: string,
  effect: "ask" | "deny",
  title: string,
  examples: readonly string[] = [],
): DangerEntry => ({
  id,
  effect,
  title,
  reason: `because of ${id}`,
  examples,
  layer: "built-in",
});
const table = [
  entry("rm.recursive", "ask", "recursive removal", ["rm -rf build"]),
  entry("git.force-push", "deny", "force push", ["git push --force"]),
  entry("git.reset", "ask", "hard reset, mentions push", ["git reset --hard"]),
];

async function list(
  dangers: Parameters<typeof createReviewTools>[0]["dangers"],
  args: object = {},
): Promise<DangersReport> {
  const tool: RunnableTool = createReviewTools({ dangers })[3];
  const run = await runTool(tool, args);
  if (run.kind !== "result") throw new Error(run.kind === "aborted" ? "aborted" : run.message);
  return run.result.structuredContent as unknown as DangersReport;
}

// contract A3
describe("dangerous_commands lists the policy's own tables", () => {
  test("all entries, as the policy has them", async () => {
    expect((await list(table)).entries).toEqual(table);
  });

  test("a table that is read at each call, so that there is never a second list", async () => {
    let current: readonly DangerEntry[] = [];
    const read = () => current;
    expect((await list(read)).total).toBe(0);
    current = table;
    expect((await list(read)).total).toBe(3);
  });

  test("entries that contain every word, the closest first", async () => {
    expect((await list(table, { query: "git PUSH" })).entries.map(({ id }) => id)).toEqual([
      "git.force-push",
      "git.reset",
    ]);
    expect((await list(table, { query: "git", effect: "deny" })).entries.map(({ id }) => id)).toEqual([
      "git.force-push",
    ]);
    expect((await list(table, { query: "nothing of this" })).total).toBe(0);
    expect((await list(table, { query: ".*(" })).total).toBe(0);
  });

  // contract B11
  test("in pages", async () => {
    const first = await list(table, { limit: 2 });
    expect(first).toMatchObject({ total: 3, nextCursor: expect.any(String) });
    const second = await list(table, { limit: 2, cursor: first.nextCursor });
    expect(second.entries.map(({ id }) => id)).toEqual(["git.reset"]);
    await expect(list(table.slice(1), { cursor: first.nextCursor })).rejects.toThrow(/changed/);
  });
});
