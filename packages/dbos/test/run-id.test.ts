import { expect, test } from "vitest";
import { checkRunId, workflowIdOf } from "../src/run-id.ts";

test("a run's id can be told from that of its later parts", () => {
  for (const id of ["a", "release-42", "_x:1.2", "r".repeat(200)]) {
    expect(() => checkRunId(id)).not.toThrow();
    expect(workflowIdOf(id, 1)).toBe(id);
    expect(() => checkRunId(workflowIdOf(id, 2))).toThrow("A run's id");
  }
  for (const id of ["", "a#2", "-a", ".", "a b", "a/b", "é", "a\n", "r".repeat(201)]) {
    expect(() => checkRunId(id)).toThrow(expect.objectContaining({ code: "misuse" }));
  }
});
