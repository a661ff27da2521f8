import { expect, it } from "vitest";

import { readRun } from "../../src/model/read-run.ts";
import { buildTree, scriptOf } from "../../src/model/tree.ts";

const call = (id: string, more: object = {}) => ({
  id,
  name: "x",
  startMs: 0,
  status: "ok",
  updates: 0,
  ...more,
});
const script = (text: string) => ({ text, state: "ended", output: [], outputOmitted: 0, limits: [] });

function runOf(calls: readonly object[], more: object = { script: script("last") }) {
  const read = readRun("a.json", {
    schema: "nestbox.call-trace",
    version: 1,
    durationMs: 1,
    omitted: 0,
    ...more,
    calls,
  });
  if (!read.ok) throw new Error(read.message);
  const tree = buildTree(read.run);
  const at = (key: string) => {
    const node = tree.byKey.get(key);
    if (node === undefined) throw new Error(`no call ${key}`);
    return node;
  };
  return { run: read.run, tree, textAt: (key: string) => scriptOf(read.run, tree, at(key).within)?.text };
}

const calls = [
  call("A", {
    script: script("first"),
    children: [
      call("A/1", { line: 7, children: [call("A/1/1", { line: 7 })] }),
      call("A/2", { line: 3, script: script("inner"), children: [call("A/2/1", { line: 3 })] }),
    ],
  }),
  call("B", { children: [call("B/1", { line: 3 })] }),
];

it("shows each script where its calls are: with the call that ran it, and with those below", () => {
  const { textAt } = runOf(calls);
  expect(["A", "A/1", "A/1/1", "A/2", "A/2/1", "B", "B/1"].map(textAt)).toEqual([
    "first",
    "first",
    "first",
    "inner",
    "inner",
    "last",
    "last",
  ]);
});

it("takes no line of one script for one of another", () => {
  const { tree } = runOf(calls);
  const made = (owner: string | null, line: number) =>
    tree.byLine
      .get(owner)
      ?.get(line)
      ?.map((node) => node.call.id);
  expect(made("A", 7)).toEqual(["A/1", "A/1/1"]);
  // The call that ran a script was itself made by a line of the one above.
  expect(made("A", 3)).toEqual(["A/2"]);
  expect(made("A/2", 3)).toEqual(["A/2/1"]);
  expect(made(null, 3)).toEqual(["B/1"]);
  expect(made(null, 7)).toBeUndefined();
});

it("reads a script of a call whatever it is, and a run that has none of its own", () => {
  const odd = runOf([call("A", { script: 7 }), call("B", { script: { text: 1, output: "no" } })], {});
  expect(odd.run.calls.map((one) => one.script?.text)).toEqual([undefined, ""]);
  expect(odd.textAt("A")).toBeUndefined();
  // A file that gives one id twice.
  const twice = runOf([call("A", { script: script("1") }), call("A", { script: script("2") })]);
  expect([twice.textAt("A"), twice.textAt("A\u00001")]).toEqual(["1", "2"]);
});
