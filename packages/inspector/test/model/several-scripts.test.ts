import { expect, it } from "vitest";

import { readRun } from "../../src/model/read-run.ts";

it("takes no line of another script for one of the script that it shows", () => {
  const call = (id: string, more: object = {}) => ({
    id,
    name: "x",
    startMs: 0,
    status: "ok",
    updates: 0,
    ...more,
  });
  const script = (text: string) => ({ text, state: "ended", output: [], outputOmitted: 0, limits: [] });
  const read = readRun("a.json", {
    schema: "nestbox.call-trace",
    version: 1,
    durationMs: 1,
    omitted: 0,
    script: script("last"),
    calls: [
      call("A", {
        script: script("first"),
        children: [call("A/1", { line: 7, children: [call("A/1/1", { line: 8 })] })],
      }),
      call("B", { children: [call("B/1", { line: 3 })] }),
    ],
  });
  if (!read.ok) throw new Error(read.message);
  expect(read.run.script?.text).toBe("last");
  expect(read.run.calls.map(({ id, line }) => [id, line])).toEqual([
    ["A", undefined],
    ["A/1", undefined],
    ["A/1/1", undefined],
    ["B", undefined],
    ["B/1", 3],
  ]);
});
