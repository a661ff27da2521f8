import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ApprovalPrompt, Approver } from "@nestbox/policy";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { quietPolicy } from "./support/quiet.ts";

const extensions = () => [createNestbox({ policy: quietPolicy({ typeAheadMs: 0 }) })];

function question(pi: ScriptedPiSession, index = 0): string {
  return pi.ui?.dialogs[index]?.title ?? "";
}

describe("a question shows what will run", () => {
  it("shows the chain and the line of the script that made the call, each its own", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    const code = [
      "const ask = (name) => tools.write({ path: name, content: name }).catch(() => 0);",
      "await Promise.all([",
      "  tools.write({ path: 'one.txt', content: '1' }).catch(() => 0),",
      "  tools.write({ path: 'two.txt', content: '2' }).catch(() => 0),",
      "]);",
      "await ask('three.txt');",
    ].join("\n");
    await pi.prompt("write", [call("codemode", { code }, "C"), "done"]);
    const titles = (pi.ui?.dialogs ?? []).map(({ title }) => title);
    const about = (name: string): string => titles.find((title) => title.includes(`path: ${name}`)) ?? "";
    expect(about("one.txt")).toContain("Allow codemode › write?");
    expect(about("one.txt")).toContain("script line 3: tools.write({ path: 'one.txt'");
    expect(about("three.txt")).toContain("script line 1: const ask");
    // The call that waits behind is shown with its own line, when the two were asked about together.
    expect(titles.join("\n")).toContain("script line 4: tools.write({ path: 'two.txt'");
  });

  it("shows the line of a script that a person runs by hand", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    await pi.prompt("/codemode // first\nawait tools.write({ path: 'a', content: 'a' });", []);
    expect(question(pi)).toContain("script line 2: await tools.write(");
  });

  it("shows no line for a call that no script made", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    await pi.prompt("write", [call("write", { path: "a", content: "a" }), "done"]);
    expect(question(pi)).toContain("Allow write?");
    expect(question(pi)).not.toContain("script line");
  });

  it("shows the diff of a write in the place of the whole text", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    writeFileSync(join(pi.cwd, "list.txt"), "one\ntwo\nthree\n");
    await pi.prompt("write", [
      [
        call("write", { path: "list.txt", content: "one\n2\nthree\n" }),
        call("write", { path: "new.txt", content: "fresh\u202e\n" }),
      ],
      "done",
    ]);
    const titles = (pi.ui?.dialogs ?? []).map(({ title }) => title).join("\n");
    expect(titles).toMatch(/replaces the file:\n[^]*-2 two\n[^]*\+2 2\n/);
    expect(titles).not.toContain("content: one");
    expect(titles).toMatch(/a new file:\n[^]*\+1 fresh\\u\{202e\}/);
  });

  it("shows the diff of an edit, and says when its text is not there", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    writeFileSync(join(pi.cwd, "list.txt"), "one\r\ntwo\r\nthree\r\n");
    const edit = (oldText: string, newText: string) =>
      call("edit", { path: "list.txt", edits: [{ oldText, newText }] });
    await pi.prompt("edit", [[edit("two\nthree", "2\nthree"), edit("four", "4")], "done"]);
    expect(question(pi)).toMatch(/changes the file:\n[^]*-2 two\n[^]*\+2 2\n/);
    expect(question(pi, 1)).toMatch(/not compared: its text is not there exactly once[^]*-1 four\n[^]*\+1 4/);
  });

  it("asks all the same where the file is a folder, a pipe, binary or too large", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    execFileSync("mkfifo", [join(pi.cwd, "pipe")]);
    writeFileSync(join(pi.cwd, "binary"), "a\0b");
    writeFileSync(join(pi.cwd, "large"), "x".repeat(200_000));
    const names = [".", "pipe", "binary", "large"];
    await pi.prompt("write", [names.map((path) => call("write", { path, content: "new" })), "done"]);
    const titles = (pi.ui?.dialogs ?? []).map(({ title }) => title);
    expect(titles.filter((title) => title.includes("not compared:"))).toHaveLength(4);
    expect(titles.filter((title) => title.includes("content: new"))).toHaveLength(4);
  });

  it("shows each command of a line as it was parsed, and what it touches", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    const command = `cd sub && timeout 5 touch 'a b' > log.txt; echo "$X" | tee out`;
    await pi.prompt("run", [call("bash", { command }), "done"]);
    expect(question(pi)).toContain(command);
    expect(question(pi)).toContain('runs: touch "a b" (through timeout) in sub');
    expect(question(pi)).toContain("touches: write sub/a b");
    expect(question(pi)).toContain("touches: write sub/log.txt");
    expect(question(pi)).not.toContain("runs: timeout");
  });

  it("says of a command once that it runs, also where it is asked about by itself", async () => {
    await using pi = await scriptedPiSession({ ui: { select: () => "Deny" }, extensions: extensions() });
    await pi.prompt("run", [call("bash", { command: "touch a && timeout 5 touch b" }), "done"]);
    const lines = question(pi)
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toContain("asks about: touch a");
    expect(lines).not.toContain("runs: touch a");
    expect(lines).toContain("runs: touch b (through timeout)");
  });

  it("shows the text of a script's line once where calls of one line are asked about together", async () => {
    const asked: ApprovalPrompt[] = [];
    const approver: Approver = {
      async ask(prompt) {
        asked.push(prompt);
        return { kind: "declined" };
      },
    };
    await using pi = await scriptedPiSession({
      extensions: [createNestbox({ policy: quietPolicy({ approver }) })],
    });
    const code = [
      "const both = ['a', 'b'].map((path) => tools.write({ path, content: 'x' }));",
      "await Promise.allSettled([...both, tools.write({ path: 'c', content: 'x' })]);",
    ].join("\n");
    await pi.prompt("write", [call("codemode", { code }), "done"]);
    const waiting = asked.find(({ batch }) => batch.length === 2);
    expect(waiting?.item.lines[0]).toMatch(/^script line 1: const both/);
    expect(waiting?.batch.map(({ lines }) => lines[0])).toEqual([
      "script line 1",
      expect.stringMatching(/^script line 2: await Promise/),
    ]);
  });

  it("goes with an approver of the host's own too", async () => {
    const asked: ApprovalPrompt[] = [];
    const approver: Approver = {
      async ask(prompt) {
        asked.push(prompt);
        return { kind: "declined" };
      },
    };
    await using pi = await scriptedPiSession({
      extensions: [createNestbox({ policy: quietPolicy({ approver }) })],
    });
    await pi.prompt("write", [
      call("codemode", { code: "await tools.write({ path: 'a', content: 'b' })" }),
      "done",
    ]);
    expect(asked[0]?.item.lines).toEqual(
      expect.arrayContaining([expect.stringContaining("script line 1:"), "a new file:"]),
    );
  });
});
