import { describe, expect, test } from "vitest";
import { prepareSource } from "../../src/source/prepare.ts";

const mayGoOn = (code: string): boolean => {
  const outcome = prepareSource(code);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.mayGoOn;
};

describe("whether a script may go on after its end", () => {
  test.each([
    "return 1",
    "let s = 0; for (let i = 0; i < 9; i++) s += (await tools.noop({ i })).i; return s",
    "try { await tools.noop() } catch (error) { text(error.message) } finally { text('end') }",
    "const rows = (await tools.rows()).rows.filter((row) => row.ok); return rows.map(({ id }) => id)",
    "for await (const item of list()) text(item); function* list() { yield 1 }",
  ])("no: %s", (code) => expect(mayGoOn(code)).toBe(false));

  test.each([
    "(async () => { while (true); })(); return 1",
    "void (async function go() {})()",
    "const o = { async go() {} }; o.go()",
    "tools.noop().then(() => 1); return 1",
    "await { then(done) { done(1) } }",
    "const o = { get then() { return 1 } }; return [o]",
    "await Promise.all([tools.noop()])",
    "queueMicrotask(() => 1)",
    "Array.fromAsync([1], () => 1)",
    "const stack = new AsyncDisposableStack(); stack.defer(() => 1); stack.disposeAsync()",
    "tools.noop().catch(() => 1)",
    "tools.noop() . finally(() => 1)",
    "eval('1')",
    "(() => 1).constructor('1')",
    "const \\u0061 = 1; return a",
    'tools.noop()["\\x74hen"](() => 1)',
  ])("yes: %s", (code) => expect(mayGoOn(code)).toBe(true));
});
