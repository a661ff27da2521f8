import { assert as check, constantFrom, jsonValue, nat, pre, property } from "fast-check";
import { describe, expect, it } from "vitest";

import { CHAIN_START, chainLine, verifyChain } from "../../src/gate/audit.ts";
import { canonicalJson, fingerprint, toPlainJson } from "../../src/gate/fingerprint.ts";
import { redact, redactText } from "../../src/gate/redact.ts";

function chain(count: number): string {
  let prev = CHAIN_START;
  let text = "";
  for (let seq = 0; seq < count; seq += 1) {
    const { line, hash } = chainLine({ n: seq }, seq, prev);
    prev = hash;
    text += `${line}\n`;
  }
  return text;
}

const start = { hash: CHAIN_START, seq: -1 };

describe("the chain of an audit shows", () => {
  it("nothing when nothing was touched", () => {
    expect(verifyChain(chain(5), start)).toMatchObject({ ok: true, problems: [] });
    expect(verifyChain("", start).ok).toBe(true);
  });

  it("a changed, removed, added, swapped or repeated line", () => {
    const lines = chain(5).trimEnd().split("\n");
    const edits: ((lines: string[]) => string[])[] = [
      (all) => all.map((line, i) => (i === 2 ? line.replace('"n":2', '"n":7') : line)),
      (all) => all.filter((_, i) => i !== 2),
      (all) => all.filter((_, i) => i !== 0),
      (all) => all.toSpliced(3, 0, chainLine({ n: 9 }, 3, CHAIN_START).line),
      (all) => [all[1] ?? "", all[0] ?? "", ...all.slice(2)],
      (all) => [...all.slice(0, 3), ...all.slice(2)],
      (all) => [...all, "{}"],
      (all) => [...all, "nonsense"],
    ];
    for (const edit of edits) expect(verifyChain(`${edit(lines).join("\n")}\n`, start).ok).toBe(false);
  });

  it("any single changed character", () => {
    const text = chain(3);
    check(
      property(nat(text.length - 2), constantFrom("0", "x", '"', "}"), (at, char) => {
        pre(text[at] !== char && text[at] !== "\n");
        const changed = text.slice(0, at) + char + text.slice(at + 1);
        expect(verifyChain(changed, start).ok).toBe(false);
      }),
    );
  });

  it("a last line that was not written to its end", () => {
    expect(verifyChain(chain(3).slice(0, -20), start).problems).toMatchObject([
      { line: 3, kind: "truncated" },
    ]);
  });
});

describe("arguments are read once, as plain data", () => {
  it("gives one fingerprint for one call, whatever the order of its keys", () => {
    expect(fingerprint({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      fingerprint({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
    check(
      property(jsonValue(), jsonValue(), (a, b) => {
        const [first, second] = [toPlainJson(a), toPlainJson(b)];
        if (!first.ok || !second.ok) return false;
        const same = JSON.stringify(sorted(first.value)) === JSON.stringify(sorted(second.value));
        return same === (canonicalJson(first.value) === canonicalJson(second.value));
      }),
    );
  });

  it("refuses what is not JSON instead of dropping it", () => {
    // hostile 13, hostile 37
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const deep = JSON.parse("[".repeat(600) + "]".repeat(600)) as unknown;
    const bad: unknown[] = [
      cycle,
      deep,
      new Date(0),
      new Map(),
      1n,
      Number.NaN,
      () => 1,
      Symbol("x"),
      Object.assign([], { length: 5 }),
      { get x() { return 1; } }, // prettier-ignore
      new Proxy({}, { ownKeys() { throw new Error("no"); } }), // prettier-ignore
      Object.create({ inherited: 1 }),
    ];
    for (const value of bad) expect(toPlainJson(value)).toMatchObject({ ok: false });
  });

  it("keeps a key named __proto__ as a key", () => {
    const read = toPlainJson(JSON.parse('{"__proto__":{"x":1}}'));
    expect(read.ok && JSON.stringify(read.value)).toBe('{"__proto__":{"x":1}}');
    expect(read.ok && fingerprint(read.value)).not.toBe(fingerprint({}));
  });
});

describe("a log keeps no secret that has a shape", () => {
  it("takes out keys, headers, assignments, options and URLs", () => {
    // contract B10
    const secrets = [
      "curl -H 'Authorization: Bearer abcdef0123456789' https://x.test",
      "git clone https://user:hunter2@x.test/r.git",
      "AWS_SECRET_ACCESS_KEY=hunter2hunter2 aws s3 ls",
      "deploy --token hunter2hunter2 --password='hunter2 x'",
      "echo ghp_abcdefghijklmnopqrstuvwxyz012345 AKIAABCDEFGHIJKLMNOP sk-ant-REDACTED",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJodW50ZXIyIn0.abcdefghijklm",
      "-----BEGIN PRIVATE KEY-----\nhunter2hunter2\n-----END PRIVATE KEY-----",
    ];
    const leaks = /hunter2|abcdef0123456789|abcdefghijklmnop|AKIAABC|eyJhbGci/;
    for (const secret of secrets) expect(redactText(secret)).not.toMatch(leaks);
    const out = redact({
      apiKey: "k1k1",
      nested: { password: "k1k1", list: [{ token: "k1k1" }] },
      path: "src/token.ts",
    });
    expect(JSON.stringify(out)).not.toContain("k1k1");
    expect(JSON.stringify(out)).toContain("src/token.ts");
  });

  it("is quick with long and hostile texts, and says how long they were", () => {
    const texts = [
      "a".repeat(2_000_000),
      "sk-".repeat(200_000),
      "TOKEN=".repeat(200_000),
      "://".repeat(200_000),
      "'".repeat(500_000),
    ];
    const began = process.threadCpuUsage();
    for (const text of texts) expect(redactText(text)).toContain(`${text.length} characters in all`);
    expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000);
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
