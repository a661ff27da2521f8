import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type CallTrace, readTrace, type TraceCall } from "@nestbox/calls";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { quietPolicy } from "./support/quiet.ts";

const annotations = { readOnlyHint: true, openWorldHint: false } as const;

/** A tool that answers with its argument, one that is told when it began and waits for the end, and a guard of its own. */
function someoneElses(onWait: () => void = () => {}) {
  return (pi: ExtensionAPI): void => {
    pi.registerTool({
      name: "echo",
      label: "echo",
      description: "Says what it is told.",
      parameters: {
        type: "object",
        properties: { word: { type: "string" } },
        required: ["word"],
      },
      annotations,
      execute: async (_id, params) => ({
        content: [{ type: "text", text: JSON.stringify(params) }],
        details: {},
      }),
    });
    pi.registerTool({
      name: "wait",
      label: "wait",
      description: "Waits until it is cancelled.",
      parameters: {},
      annotations,
      execute: (_id, _params, signal) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener("abort", () => reject(new Error("cut short")));
          onWait();
        }),
    });
    pi.on("tool_call", ({ toolName, input }) =>
      toolName === "echo" && JSON.stringify(input).includes("rude")
        ? { block: true, reason: "Rude words are not said here." }
        : undefined,
    );
  };
}

async function exported(pi: ScriptedPiSession, name = "trace.json"): Promise<CallTrace> {
  await pi.prompt(`/trace export ${name}`, []);
  const read = readTrace(readFileSync(join(pi.cwd, name), "utf8"));
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.trace;
}

function flat(calls: readonly TraceCall[]): readonly TraceCall[] {
  return calls.flatMap((one) => [one, ...flat(one.children)]);
}

describe("a trace of a run in Pi", () => {
  for (const how of ["of the model", "by hand"] as const) {
    it(`carries the script ${how}: its text, output, limits, outcome, and the line of each call`, async () => {
      await using pi = await scriptedPiSession({
        ui: {},
        extensions: [createNestbox({ policy: quietPolicy() }), someoneElses()],
      });
      writeFileSync(join(pi.cwd, "note.txt"), "a note\n");
      const script = [
        "// a script of three calls",
        "text('began');",
        "const note = await tools.read({ path: 'note.txt' });",
        "const gone = await tools.read({ path: 'gone.txt' }).catch(() => 'gone');",
        "const odd = await tools.read({}).catch(() => 'odd');",
        "console.log('told');",
        "return [note, gone, odd];",
      ].join("\n");
      if (how === "of the model") await pi.prompt("run", [call("codemode", { code: script }, "C"), "done"]);
      else await pi.prompt(`/codemode ${script}`, []);
      const trace = await exported(pi);
      expect(trace.script).toMatchObject({ text: script, state: "ended", outcome: { ok: true } });
      const output = trace.script?.output.map(({ kind, text }) => [kind, text]);
      expect(output).toContainEqual(["text", "began"]);
      expect(output).toContainEqual(["console", "told"]);
      const limits = new Map(trace.script?.limits.map((limit) => [limit.name, limit]));
      expect(limits.get("cpu")).toMatchObject({ max: expect.any(Number), used: expect.any(Number) });
      expect(limits.get("calls")?.used).toBe(3);
      const [root, ...calls] = flat(trace.calls);
      expect(root).toMatchObject({ name: "codemode", status: "ok" });
      expect(root?.line).toBeUndefined();
      expect(calls.map(({ name, line }) => [name, line])).toEqual([
        ["read", 3],
        ["read", 4],
        ["read", 5],
      ]);
      await pi.prompt("/trace", []);
      expect(pi.ui?.notifications.at(-1)?.message).toMatch(/✓ read \{"path":"note.txt"\} \d+ ms · line 3/);
      expect(pi.errors).toEqual([]);
    });
  }

  // contract A19, A23
  it("tells a call that another extension blocked as denied, with that extension's reason", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() }), someoneElses()],
    });
    const script = `
      const said = await tools.echo({ word: "polite" });
      const odd = await tools.echo({}).catch(() => "odd");
      return [said, odd, await tools.echo({ word: "rude" }).catch((error) => error.message)];`;
    await pi.prompt("run", [call("codemode", { code: script }, "C"), "done"]);
    const [, polite, odd, rude] = flat((await exported(pi)).calls);
    expect(polite).toMatchObject({ status: "ok", result: expect.stringContaining("polite") });
    expect(rude).toMatchObject({ status: "denied", error: "Rude words are not said here." });
    expect(rude?.runMs).toBeUndefined();
    expect(odd).toMatchObject({ status: "error", error: expect.stringMatching(/^Validation failed/) });
    expect(pi.resultText("C")).toContain("Rude words are not said here.");
    await pi.prompt("/trace", []);
    const lines = (pi.ui?.notifications.at(-1)?.message ?? "").split("\n");
    // Each call is a line that fits; what a script is and why a call failed do not lengthen it.
    expect(lines[1]).toMatch(/^└ ✓ codemode \d+ ms · allow by default\.transparent$/);
    expect(lines.slice(-2)).toEqual([
      expect.stringMatching(/^ {2}└ ⊘ echo \{"word":"rude"\} \d+ ms · line 4 · allow by /),
      "      Rude words are not said here.",
    ]);

    await pi.prompt("say it", [call("echo", { word: "rude" }, "T"), "done"]);
    const [top] = (await exported(pi, "top.json")).calls;
    expect(top).toMatchObject({ id: "T", status: "denied", error: "Rude words are not said here." });
  });

  it("tells a call that was cut short with its run as cancelled", async () => {
    let begun = (): void => {};
    const waits = new Promise<void>((resolve) => (begun = resolve));
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() }), someoneElses(() => begun())],
    });
    const run = pi.prompt("run", [call("codemode", { code: "await tools.wait({})" }, "C"), "done"]);
    await waits;
    await pi.session.abort();
    await run;
    const trace = await exported(pi);
    expect(flat(trace.calls).map(({ name, status }) => [name, status])).toEqual([
      ["codemode", "cancelled"],
      ["wait", "cancelled"],
    ]);
    expect(trace.script).toMatchObject({
      state: "ended",
      outcome: { ok: false, error: { kind: "aborted" } },
    });
  });

  it("carries every script of a run, each with the lines of its own calls", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() }), someoneElses()],
    });
    const first = "return await tools.echo({ word: 'a' });";
    const last = "\n\nreturn await tools.echo({ word: 'b' });";
    await pi.prompt("run", [
      call("codemode", { code: first }, "A"),
      call("codemode", { code: last }, "B"),
      // No call is made: it is a script all the same.
      call("codemode", { code: "throw new Error('broken')" }, "C"),
      "done",
    ]);
    const trace = await exported(pi);
    expect(trace.script).toMatchObject({ text: "throw new Error('broken')", callId: "C" });
    expect(trace.calls.map(({ script }) => script?.text)).toEqual([first, last, undefined]);
    expect(flat(trace.calls).map(({ id, line }) => [id, line])).toEqual([
      ["A", undefined],
      ["A/1", 1],
      ["B", undefined],
      ["B/1", 3],
      ["C", undefined],
    ]);
    await pi.prompt("/trace", []);
    const lines = (pi.ui?.notifications.at(-1)?.message ?? "").split("\n");
    expect(lines.slice(-2)).toEqual([
      // What the script is does not stand in its line; its own error does, and not the head of its report.
      expect.stringMatching(/^└ ✗ codemode \d+ ms · allow by default\.transparent$/),
      "    Error: broken",
    ]);
    expect(
      lines.filter((line) => / · line \d/.test(line)).map((line) => / line (\d)/.exec(line)?.[1]),
    ).toEqual(["1", "3"]);
    // A run without a script has none.
    await pi.prompt("say", [call("echo", { word: "c" }, "T"), "done"]);
    const without = await exported(pi, "without.json");
    expect(without.calls).toHaveLength(1);
    expect(without.script).toBeUndefined();
  });
});
