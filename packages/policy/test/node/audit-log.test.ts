import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { type AuditRecord, chainLine } from "../../src/gate/audit.ts";
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
      (lines) => [lines[0] ?? "", lines[2] ?? "", lines[1] ?? "", lines[3] ?? ""],
      (lines) => [...lines, lines[3] ?? ""],
      (lines) => lines.map((line) => ` ${line}`),
      (lines) => lines.map((line) => line.replace("{", '{"record":{"message":"shown first"},')),
      (lines) => lines.map((line) => line.replace(/}$/, ',"note":"beside it"}')),
      (lines) => lines.map((line) => line.replace('"line 1"', String.raw`"\u006cine 1"`)),
      // A line of its own, made with the right number and the right hash before it.
      (lines) => {
        const { hash }: { hash: string } = JSON.parse(lines[1] ?? "");
        return lines.with(2, chainLine({ type: "note", message: "forged" }, 2, hash).line);
      },
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

  it("notices that somebody else wrote into it, cut it or put another file there, and goes on elsewhere", () => {
    const meddlings: ((path: string) => void)[] = [
      (path) => appendFileSync(path, '{"seq":1}\n'),
      (path) => truncateSync(path, statSync(path).size / 2),
      (path) => truncateSync(path, 0),
      (path) => {
        renameSync(path, `${path}.old`);
        writeFileSync(path, readFileSync(`${path}.old`));
      },
    ];
    for (const meddle of meddlings) {
      const dir = folder();
      const log = open(dir);
      log.write(note("a"));
      log.write(note("b"));
      meddle(log.files[0] ?? "");
      expect(() => log.write(note("c"))).toThrow(/changed|replaced/);
      log.write(note("d"));
      expect(log.files).toHaveLength(2);
      const messages = readAudit({ dir }).sessions.flatMap(({ records }) =>
        records.map(({ message }) => message),
      );
      expect(messages).toContain("d");
    }
  });

  it("cut at the end of a line is whole to itself, and its last hash, kept elsewhere, tells", () => {
    const dir = folder();
    const log = open(dir);
    for (let i = 0; i < 3; i += 1) log.write(note(`line ${i}`));
    const last = readAudit({ dir }).sessions[0]?.last;
    expect(last?.seq).toBe(2);
    const path = log.files[0] ?? "";
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines[2]).toContain(last?.hash ?? "none");
    writeFileSync(path, `${lines.slice(0, 2).join("\n")}\n`);
    expect(readAudit({ dir })).toMatchObject({ ok: true });
    expect(readAudit({ dir }).sessions[0]?.last).toMatchObject({ seq: 1 });
    rmSync(path);
    expect(readAudit({ dir })).toMatchObject({ ok: true, sessions: [] });
  });

  it("keeps a text of several lines, and one that looks like a record, inside one line", () => {
    const dir = folder();
    const log = open(dir);
    const text = 'a\n{"seq":9,"prev":"","record":{},"hash":""}\r\n\u2028\u0085\u0000b';
    log.write(note(text));
    expect(readFileSync(log.files[0] ?? "", "utf8").match(/\n/g)).toHaveLength(1);
    expect(readAudit({ dir })).toMatchObject({ ok: true, sessions: [{ records: [{ message: text }] }] });
  });

  it("is not waited for where a pipe has the name of a log", () => {
    const dir = folder();
    mkdirSync(join(dir, "x.000.jsonl"));
    expect(readAudit({ dir })).toMatchObject({ ok: false, sessions: [{ problems: [{ kind: "shape" }] }] });
  });

  it("refuses while its folder cannot be used, and goes on when it can", () => {
    const dir = join(folder(), "audit");
    const log = open(dir);
    log.write(note("a"));
    renameSync(dir, `${dir}.away`);
    writeFileSync(dir, "");
    expect(() => log.write(note("b"))).toThrow("deleted");
    expect(() => log.write(note("b"))).toThrow("EEXIST");
    rmSync(dir);
    renameSync(`${dir}.away`, dir);
    log.write(note("c"));
    expect(readAudit({ dir })).toMatchObject({ ok: true });
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
