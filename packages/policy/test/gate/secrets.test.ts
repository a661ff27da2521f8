import type { JsonObject } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import type { AuditRecord } from "../../src/gate/audit.ts";
import type { PolicyEngine } from "../../src/decision.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import { redact, redactText } from "../../src/gate/redact.ts";
import { call, fakeEngine } from "./fake-engine.ts";

const secret = "hunter2hunter2XyZ9";

// contract B10
describe("a secret in what ran is not on record", () => {
  it.each([
    `AWS_SECRET_ACCESS_KEY=${secret} aws s3 ls`,
    `export API_TOKEN='${secret}'; run`,
    `PGPASSWORD=${secret} psql`,
    `curl -u user:${secret} https://x`,
    `curl -fsSLu 'user:${secret}' https://x`,
    `curl --user=user:${secret} x`,
    `curl https://user:${secret}@host/p`,
    `curl -H 'Authorization: Bearer ${secret}' x`,
    `curl 'https://x/?api_key=${secret}&a=1'`,
    `curl -d '{"password":"${secret}"}' x`,
    `wget --http-password ${secret} x`,
    `psql postgres://u:${secret}@h/db`,
    `mysql -u root -p${secret} db`,
    `docker login -u me -p ${secret} registry`,
    `sshpass -p ${secret} ssh host`,
    `redis-cli -p 6379 -a ${secret} get x`,
    `openssl enc -aes-256-cbc -k ${secret}`,
    `openssl rsa -passin pass:${secret}`,
    `ssh-keygen -t rsa -N ${secret}`,
    `zip -P ${secret} a.zip b`,
    `npm config set //registry/:_authToken ${secret}`,
    `gh auth login --with-token <<< ${secret}`,
    `htpasswd -bB file user ${secret}`,
    `vault login ${secret}`,
    `cd x && sudo /usr/bin/curl -u u:${secret} y`,
  ])("%s", (command) => {
    expect(JSON.stringify(redact({ command }))).not.toContain(secret);
  });

  it.each<JsonObject>([
    { password: secret },
    { passwords: [secret] },
    { token: { value: secret } },
    { headers: { authorization: `Bearer ${secret}`, cookie: `sid=${secret}` } },
    { env: [{ name: "API_KEY", value: secret }] },
    { variables: [{ key: "DB_PASSWORD", value: { plain: secret } }] },
  ])("%j", (input) => {
    expect(JSON.stringify(redact(input))).not.toContain(secret);
  });

  it("and what is none stays to be read", () => {
    for (const text of [
      "git push -u origin main",
      "docker run -p 8080:80 x",
      "mysql -p db",
      "curl -X PUT --upload-file f x",
      "zip -r a b",
      "ls -p x && curl x; echo -u y",
    ])
      expect(redactText(text)).toBe(text);
    const input = { max_tokens: 5, usage: { tokens: 7 }, name: "token bucket", key: "src/a.ts", pass: true };
    expect(redact(input)).toEqual(input);
  });

  it("is looked for in a bounded time, whatever the text", () => {
    for (const text of [
      "curl ".repeat(20_000),
      `curl ${" -".repeat(40_000)}`,
      `docker login ${"a ".repeat(40_000)}`,
    ]) {
      const began = process.threadCpuUsage();
      redactText(text);
      expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(20_000);
    }
  });
});

// contract B10
describe("a log keeps little of what is large", () => {
  it("of a text what was searched for secrets, and its size", () => {
    const text = `${"x ".repeat(40_000)}curl -u user:${secret} https://x`;
    const kept = redactText(text);
    expect(kept).not.toContain(secret);
    expect(kept.length).toBeLessThan(4_200);
    expect(kept).toContain(`[…${text.length} characters in all]`);
  });

  it("of many values the first thousand, in lists, objects and both", () => {
    const count = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return value === "[…]" ? 0 : 1;
      return 1 + Object.values(value).reduce((sum: number, item) => sum + count(item), 0);
    };
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at]));
    const deep = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => "v"));
    for (const value of [wide, Array.from({ length: 5_000 }, () => "v"), deep, [wide, wide]])
      expect(count(redact(value))).toBeLessThanOrEqual(1_000);
    expect(Object.keys(redact(wide) as object).length).toBeLessThanOrEqual(1_001);
  });

  it("and no secret where its name is a key, or below one, at any depth", () => {
    const told = redact({
      [`https://user:${secret}@host/p`]: 1,
      credentials: { list: [[{ plain: secret }]] },
      env: [{ variable: "PASSWORD", data: [secret] }],
    });
    expect(JSON.stringify(told)).not.toContain(secret);
  });
});

// contract B10
describe("what a gate says of a call with a secret", () => {
  const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  const input = { command: `deploy --to x ${token}` };
  const leaking = fakeEngine((request) => ({
    effect: request.callId.startsWith("deny") ? "deny" : "ask",
    rule: `never ${String(request.input["command"])}`,
  }));

  it("is without it: verdict, record, notes, and the reason of a last look", async () => {
    const records: AuditRecord[] = [];
    let now: PolicyEngine = fakeEngine(() => ({ effect: "allow" }));
    const gate = createGate({
      engine: { evaluate: (request, history) => now.evaluate(request, history) },
      audit: { write: (record) => void records.push(record) },
    });
    await gate.decide(call("late", input));
    now = leaking;
    const texts = [(await gate.decide(call("deny-1", input))).reason];
    texts.push((await gate.decide(call("nobody", input))).reason);
    now = fakeEngine(() => ({ effect: "deny", rule: `never ${input.command}` }));
    const looked = gate.recheck({ callId: "late", toolName: "bash", input, cwd: "/w" });
    texts.push(looked.ok ? "ran" : looked.reason);
    await gate.note("kind", `about ${input.command}`);
    texts.push(...records.map((record) => (record.type === "note" ? record.message : "")));
    for (const text of texts.filter((one) => one !== "")) {
      expect(text).toContain("deploy --to x");
      expect(text).not.toContain(token);
    }
    expect(texts.filter((one) => one !== "")).toHaveLength(4);
    const inputs = records.flatMap((record) => (record.type === "decision" ? [record.input] : []));
    expect(inputs).toHaveLength(3);
    for (const kept of inputs) expect(kept).toEqual({ command: "deploy --to x [redacted]" });
  });

  it("and of one that cannot be read nothing at all", async () => {
    const records: AuditRecord[] = [];
    const gate = createGate({
      engine: leaking,
      audit: { write: (record) => void records.push(record) },
    });
    const request = Object.assign(call("a"), { input: { at: new Date(0), key: token } });
    expect((await gate.decide(request)).effect).toBe("deny");
    expect(records).toMatchObject([{ input: null, inputHash: "" }]);
  });

  it("and neither of what is remembered, nor of what cannot be", async () => {
    const records: AuditRecord[] = [];
    for (const pattern of [JSON.stringify(input), `other ${token}`]) {
      const gate = createGate({
        engine: fakeEngine(() => ({ effect: "ask" })),
        audit: { write: (record) => void records.push(record) },
        // Without it nothing can be bound, and so nothing be remembered.
        facts: { ...factsWithoutFileSystem, realPath: (path) => path },
        gatherMs: 0,
        approver: { ask: async () => ({ kind: "approved", remember: { kind: "session", pattern } }) },
      });
      expect((await gate.decide(call("a", input))).effect).toBe("allow");
      expect(gate.grants.list()).toHaveLength(pattern.startsWith("{") ? 1 : 0);
    }
    const notes = records.filter((record) => record.type === "note");
    expect(notes.map(({ kind }) => kind)).toEqual(["grant", "grant-refused"]);
    expect(JSON.stringify(records)).not.toContain(token);
  });

  it("names who acted", async () => {
    const records: AuditRecord[] = [];
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "allow" })),
      audit: { write: (record) => void records.push(record) },
    });
    await gate.decide(call("a", {}, { actor: "person" }));
    await gate.decide(call("b"));
    expect(records).toMatchObject([{ actor: "person" }, { actor: "agent" }]);
  });
});
