import { expect, test } from "vitest";
import { changed } from "../../src/durable/halt.ts";

const HEAD = "The run cannot go on here, it began under other conditions: ";
const tool = (name: string, recorded: string, now: string) => ({ part: `tool ${name}`, recorded, now });

test("a halt names the tools that were changed, removed and added, and no hash of any", () => {
  const differences = [
    tool("deploy", "1f0c", "2a2b"),
    tool("old", "77aa", ""),
    tool("older", "88bb", ""),
    tool("new", "", "99cc"),
    { part: "function host.double", recorded: "there", now: "" },
    { part: "v8", recorded: "14.1", now: "14.2" },
  ];
  const { message, differences: kept } = changed(differences);
  expect(message).toBe(
    `${HEAD}changed tool deploy; removed tools old, older; added tool new; removed function host.double; v8 was 14.1 and is 14.2`,
  );
  // For a program, they stand there whole.
  expect(kept).toEqual(differences);
});

test("many of them are counted, each kind for itself", () => {
  const many = Array.from({ length: 25 }, (_, n) => tool(`t${n}`, "a", "b"));
  const parts = Array.from({ length: 12 }, (_, n) => ({ part: `p${n}`, recorded: "", now: "1" }));
  const { message } = changed([...many, tool("gone", "a", ""), ...parts]);
  expect(message).toContain(
    "changed tools t0, t1, t2, t3, t4, t5, t6, t7, t8, t9 and 15 more; removed tool gone; ",
  );
  expect(message).toMatch(/p9 was absent and is 1; and 2 more$/);
});
