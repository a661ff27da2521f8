import { SessionManager } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { readStore, toStoreEntry } from "../../src/pi/store-entries.ts";

test("entries are folded from the root of the branch, and each branch has its own", () => {
  const session = SessionManager.inMemory("/");
  session.appendCustomEntry("codemode-store", { set: { a: 1, b: [2] }, delete: [] });
  const fork = session.appendCustomEntry("codemode-store", { set: { c: "x" }, delete: ["a"] });
  expect(readStore(session.getBranch())).toEqual({ b: "[2]", c: '"x"' });
  session.appendCustomEntry("codemode-store", { set: { b: 3 }, delete: [] });
  expect(readStore(session.getBranch())).toMatchObject({ b: "3" });
  session.branch(fork);
  expect(readStore(session.getBranch())).toMatchObject({ b: "[2]" });
});

test("what is no entry of ours is passed over", () => {
  const session = SessionManager.inMemory("/");
  for (const data of [null, 1, { set: 1, delete: [] }, { set: {}, delete: [1] }, { set: {} }]) {
    session.appendCustomEntry("codemode-store", data);
  }
  session.appendCustomEntry("other", { set: { a: 1 }, delete: [] });
  expect(readStore(session.getBranch())).toEqual({});
});

test("a key is only a key", () => {
  // hostile 45
  const session = SessionManager.inMemory("/");
  session.appendCustomEntry("codemode-store", JSON.parse('{"set":{"__proto__":{"polluted":1}},"delete":[]}'));
  const store = readStore(session.getBranch());
  expect(Object.keys(store)).toEqual(["__proto__"]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("a script that wrote nothing leaves no entry", () => {
  expect(toStoreEntry({ set: {}, delete: [] })).toBeUndefined();
  expect(toStoreEntry({ set: { a: "[1]" }, delete: [] })).toEqual({ set: { a: [1] }, delete: [] });
  expect(toStoreEntry({ set: {}, delete: ["a"] })).toEqual({ set: {}, delete: ["a"] });
});
