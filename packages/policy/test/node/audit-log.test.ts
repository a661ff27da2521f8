import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { AuditRecord } from "../../src/gate/audit.ts";
import { createGate } from "../../src/gate/gate.ts";
import { openAuditLog, type AuditLogOptions } from "../../src/node/audit-log.ts";
import { readAudit } from "../../src/node/read-audit.ts";
import { call, fakeEngine } from "../gate/fake-engine.ts";
import { tempFolders } from "./temp-folder.ts";

const folder = tempFolders();

function note(message: string): AuditRecord {
  return { type: "note", time: 1, kind: "test", message };
}

function open(dir: string, options: Partial<AuditLogOptions> = {}) {
  return openAuditLog({ dir, session: "s-1", ...options });
}

describe("an audit log", () => {
  it("is one file a session, readable by its owner only, and verifies", () => {
    const dir = folder();
    const [one, two] = [open(dir), open(dir)];
    one.write(note("a"));
    two.write(note("b"));
    one.write(note("c"));
    const report = readAudit({ dir });
    expect(report).toMatchObject({ ok: true });
    expect(
      new Set(report.sessions.map((session) => session.records.map((record) => record["message"]).join())),
    ).toEqual(new Set(["a,c", "b"]));
    expect(statSync(one.files[0] ?? "").mode & 0o777).toBe(0o600);
  });

  it("never takes a file name from the session's text", () => {
    // hostile 49
    const dir = folder();
    const log = open(dir, { session: "../../etc/x\u001b[2K" });
    log.write(note("a"));
    expect(readdirSync(dir)).toHaveLength(1);
    expect(readdirSync(dir)[0]).toMatch(/^[\w.-]+$/);
  });

  it("goes on in a new file when one is full, as one chain", () => {
    const dir = folder();
    const log = open(dir, { limits: { maxFileBytes: 600 } });
    for (let i = 0; i < 10; i += 1) log.write(note(`line ${i}`));
    expect(log.files.length).toBeGreaterThan(2);
    expect(readAudit({ dir })).toMatchObject({ ok: true });
    const [session] = readAudit({ dir }).sessions;
    expect(session?.records).toHaveLength(10);
    rmSync(log.files[1] ?? "");
    expect(readAudit({ dir }).ok).toBe(false);
  });

  it("shows a line that was changed, taken out or put in afterwards", () => {
    const edits: ((lines: string[]) => string[])[] = [
      (lines) => lines.map((line) => line.replace("line 1", "line 7")),
      (lines) => lines.toSpliced(1, 1),
      (lines) => lines.toSpliced(0, 1),
      (lines) => [...lines.slice(0, -1), "half a li"],
    ];
    for (const edit of edits) {
      const dir = folder();
      const log = open(dir);
      for (let i = 0; i < 4; i += 1) log.write(note(`line ${i}`));
      const path = log.files[0] ?? "";
      writeFileSync(path, `${edit(readFileSync(path, "utf8").trimEnd().split("\n")).join("\n")}\n`);
      const report = readAudit({ dir });
      expect(report.ok).toBe(false);
      expect(report.sessions[0]?.problems.length).toBeGreaterThan(0);
    }
  });

  it("notices that somebody else wrote into it", () => {
    const dir = folder();
    const log = open(dir);
    log.write(note("a"));
    appendFileSync(log.files[0] ?? "", '{"seq":1}\n');
    log.write(note("b"));
    expect(readAudit({ dir }).ok).toBe(false);
  });

  it("throws when it cannot be written: its limit, a folder that is none, a file that was deleted", () => {
    const limited = open(folder(), { limits: { maxFileBytes: 1, maxFiles: 2 } });
    limited.write(note("a"));
    limited.write(note("b"));
    expect(() => limited.write(note("c"))).toThrow("filled 2 files");

    const dir = folder();
    writeFileSync(join(dir, "file"), "");
    expect(() => open(join(dir, "file")).write(note("a"))).toThrow("EEXIST");

    const deleted = open(folder());
    deleted.write(note("a"));
    rmSync(deleted.files[0] ?? "");
    expect(() => deleted.write(note("b"))).toThrow("deleted");
    deleted.close();
    expect(() => deleted.write(note("c"))).toThrow("closed");
  });

  it("denies a call that cannot be put on record, by default", async () => {
    const dir = folder();
    const audit = open(dir, { limits: { maxFiles: 1, maxFileBytes: 1 } });
    const errors: string[] = [];
    const gate = createGate({
      engine: fakeEngine(() => ({ effect: "allow" })),
      audit,
      onError: (_error, where) => errors.push(where),
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    expect(await gate.decide(call("b"))).toMatchObject({ effect: "deny", decision: { rule: "gate.audit" } });
    expect(errors).toEqual(["audit"]);
    // What is on record and what came of it agree.
    expect(gate.history.calls.map((item) => item.state)).toEqual(["approved", "denied"]);
  });

  it("keeps what ran without a secret, and a record that is too large without its arguments", async () => {
    const dir = folder();
    const audit = open(dir, { limits: { maxLineBytes: 2_000 } });
    const gate = createGate({ engine: fakeEngine(() => ({ effect: "allow" })), audit });
    await gate.decide(call("a", { command: "login --token hunter2hunter2" }));
    await gate.decide(call("b", { list: Array.from({ length: 500 }, (_, i) => `item ${i}`) }));
    const text = readFileSync(audit.files[0] ?? "", "utf8");
    expect(text).not.toContain("hunter2");
    const [session] = readAudit({ dir }).sessions;
    expect(session?.ok).toBe(true);
    expect(session?.records).toMatchObject([
      { input: { command: "login --token [redacted]" } },
      { cut: true, callId: "b" },
    ]);
    expect(session?.records[1]?.["input"]).toBeUndefined();
  });

  it("is read with hits a rule and the rules that never fired", async () => {
    const dir = folder();
    const audit = open(dir);
    const gate = createGate({
      engine: fakeEngine((request) => ({
        effect: request.callId === "a" ? "deny" : "allow",
        rule: `r.${request.callId}`,
      })),
      audit,
    });
    for (const id of ["a", "b", "b"]) await gate.decide(call(id));
    gate.settled({ callId: "b" }, { isError: false, input: { other: true } });
    const report = readAudit({ dir, rules: ["r.a", "r.b", "r.c"] });
    expect(report.hits).toEqual([
      { rule: "r.b", decided: 2, matched: 2 },
      { rule: "r.a", decided: 1, matched: 1 },
    ]);
    expect(report.neverFired).toEqual(["r.c"]);
    expect(report.totals).toEqual({ allow: 2, deny: 1, asked: 0, changed: 1 });
    expect(readAudit({ dir: join(dir, "none") })).toMatchObject({ ok: true, sessions: [] });
  });
});
