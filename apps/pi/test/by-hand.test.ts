import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { readTrace } from "@nestbox/calls";
import type { DecisionRecord } from "@nestbox/policy";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it, vi } from "vitest";

import { changedCart } from "@nestbox/example-projects/changed-cart";
import { examples } from "./support/examples.ts";
import { quietPolicy } from "./support/quiet.ts";

/** What runs by hand put into the session, as text. */
function shown(pi: ScriptedPiSession): string[] {
  return pi.session.messages.flatMap((message) => {
    if (message.role !== "custom" || message.customType !== "nestbox-run") return [];
    if (typeof message.content === "string") return [message.content];
    return [message.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")];
  });
}

const theirs = (pi: ExtensionAPI): void =>
  pi.registerTool({
    name: "theirs",
    label: "theirs",
    description: "Something of somebody else's.",
    parameters: {},
    exposure: "codemode",
    execute: async () => ({ content: [{ type: "text", text: "reached" }], details: {} }),
  });

describe("/codemode runs a script with no model", () => {
  // contract C5
  it("gives what the command line gives, over the review tools, through the policy of the session", async () => {
    using cart = changedCart();
    const decisions: DecisionRecord[] = [];
    await using pi = await scriptedPiSession({
      cwd: cart.project,
      ui: {},
      extensions: [
        createNestbox({
          policy: quietPolicy({
            files: [{ path: join(examples, "review.policy.jsonc"), layer: "user" }],
            onDecision: (record) => void decisions.push(record),
          }),
        }),
      ],
    });
    writeFileSync(join(cart.project, "review.ts"), readFileSync(join(examples, "review.ts"), "utf8"));
    await pi.prompt("/codemode review.ts", []);
    const [text = ""] = shown(pi);
    expect(text).toMatch(/^\/codemode review\.ts\nScript completed\nWall time/);
    const value = JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? "") as Record<string, unknown>;
    expect(value).toMatchObject({ typeErrors: 1, denied: expect.stringContaining("checks-once") });
    const judged = decisions.map(({ request, verdict }) => [
      request.chain.map(({ toolName }) => toolName).join(),
      request.tool.name,
      verdict.effect,
    ]);
    expect(judged).toContainEqual(["codemode", "run_checks", "allow"]);
    expect(judged).toContainEqual(["codemode", "review_diff", "deny"]);
    expect(pi.errors).toEqual([]);

    await pi.prompt("/trace", []);
    const tree = pi.ui?.notifications.at(-1)?.message ?? "";
    expect(tree).toMatch(/^Last run: \d+ ms\n└ ✓ codemode/);
    expect(tree).toMatch(/\n {2}├ ✓ run_checks .*allow by run-the-projects-checks/);
    expect(tree).toMatch(/\n {2}└ ⊘ review_diff .*deny by checks-once/);
  });

  it("reads and writes what scripts of the model stored", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("/codemode store('kept', [1, 2]); return 'stored'", []);
    await pi.prompt("load it", [call("codemode", { code: "return load('kept')" }, "C"), "done"]);
    expect(pi.resultText("C")).toContain("[1,2]");
  });

  it("reaches Pi's own tools, asks a person about them, and blocks what they decline", async () => {
    await using pi = await scriptedPiSession({
      ui: { select: ["Allow once", "Deny"] },
      extensions: [createNestbox({ policy: quietPolicy({ typeAheadMs: 0 }) })],
    });
    writeFileSync(join(pi.cwd, "note.txt"), "a note\n");
    await pi.prompt(`/codemode return await tools.read({ path: "note.txt" })`, []);
    await pi.prompt(`/codemode await tools.write({ path: "a.txt", content: "a" }); return "written"`, []);
    await pi.prompt(`/codemode await tools.write({ path: "b.txt", content: "b" }); return "written"`, []);
    const [read, first, second] = shown(pi);
    expect(read).toContain("a note");
    expect(first).toContain("written");
    expect(readFileSync(join(pi.cwd, "a.txt"), "utf8")).toBe("a");
    expect(second).toMatch(/Script failed/);
    expect(statSync(join(pi.cwd, "b.txt"), { throwIfNoEntry: false })).toBeUndefined();
    expect(pi.ui?.dialogs[0]?.title).toContain("Allow codemode › write?");
  });

  // contract A8, A23
  it("denies a force push where nobody can be asked", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      await using pi = await scriptedPiSession({ extensions: [createNestbox({ policy: quietPolicy() })] });
      await pi.prompt(`/codemode await tools.bash({ command: "git push --force origin main" })`, []);
      expect(shown(pi)[0]).toMatch(/Script failed[^]*force/i);
      // Print mode shows no messages of a session.
      expect(said.mock.calls.flat().join("\n")).toMatch(/Script failed[^]*force/i);
    } finally {
      said.mockRestore();
    }
  });

  it("names whose a tool is that a command cannot reach, before anybody is asked about it", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [{ name: "somebody-elses", factory: theirs }, createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt(
      "/codemode return (await searchTools('somebody else')).map((tool) => tool.description)",
      [],
    );
    await pi.prompt("/codemode return await tools.theirs({})", []);
    const [found, called] = shown(pi);
    expect(found).toMatch(/Cannot be reached from a command: belongs to .*somebody-elses/);
    expect(called).toMatch(/Script failed[^]*theirs belongs to .*somebody-elses[^]*ask the model/);
    expect(pi.ui?.dialogs).toEqual([]);
    await pi.prompt("the model can", [call("codemode", { code: "return 1" }, "C"), "done"]);
  });

  it("says what to write when there is nothing to run, or a file that is not there", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    for (const text of ["/codemode", "/codemode missing.ts", "/codemode stop", "/trace", "/trace what"])
      await pi.prompt(text, []);
    expect(pi.ui?.notifications.map(({ message }) => message)).toEqual([
      expect.stringContaining("Usage: /codemode"),
      expect.stringContaining("missing.ts cannot be read"),
      "Nothing runs by hand.",
      "No call was made yet.",
      expect.stringContaining("Usage: /trace"),
    ]);
    expect(shown(pi)).toEqual([]);
  });

  it("ends with /codemode stop, and the next run works", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    const endless = pi.session.prompt("/codemode await new Promise((done) => setTimeout(done, 600_000))");
    await pi.prompt("/codemode return 1", []);
    expect(pi.ui?.notifications.at(-1)?.message).toContain("A run goes on");
    expect(pi.ui?.status.get("nestbox")).toContain("codemode runs");
    await pi.prompt("/codemode stop", []);
    await endless;
    expect(pi.ui?.status.get("nestbox")).toBeUndefined();
    expect(shown(pi).at(-1)).toMatch(/^\/codemode await new Promise.*\nScript failed[^]*aborted/);
    await pi.prompt("/codemode return 40 + 2", []);
    expect(shown(pi).at(-1)).toContain("42");
  });

  it.each([
    ["\u001b", "Escape"],
    ["\u001b[27u", "Escape of the Kitty protocol"],
    ["\u001b[27;129u", "the same with Num Lock on"],
    ["\u001b[27;65:1u", "the same with Caps Lock on"],
    ["\u001b[27;1;27~", "Escape of xterm's other protocol"],
  ])("ends with %j, and with no other key", async (escape) => {
    const keys = new Set<(data: string) => unknown>();
    const keyboard = (extension: ExtensionAPI): void => {
      extension.on("session_start", (_event, { ui }) => {
        ui.onTerminalInput = (handler) => {
          keys.add(handler);
          return () => void keys.delete(handler);
        };
      });
    };
    await using pi = await scriptedPiSession({
      ui: {},
      mode: "tui",
      extensions: [keyboard, createNestbox({ policy: quietPolicy() })],
    });
    const endless = pi.session.prompt("/codemode await new Promise((done) => setTimeout(done, 600_000))");
    await vi.waitFor(() => expect(keys.size).toBe(1), { timeout: 60_000 });
    const press = (data: string): unknown[] => [...keys].map((handler) => handler(data));
    for (const other of ["e", "\u001b[A", "\u001b[27;5u", "\u001b[27;1:3u", "\u001bx"])
      expect(press(other)).toEqual([undefined]);
    expect(press(escape)).toEqual([{ consume: true }]);
    await endless;
    expect(shown(pi).at(-1)).toMatch(/Script failed[^]*aborted/);
    expect(keys.size).toBe(0);
  });

  it("is refused where codemode is off", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      tools: ["read"],
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("/codemode return 1", []);
    expect(pi.ui?.notifications.at(-1)?.message).toContain("codemode is not Nestbox's in this session");
  });
});

describe("/review and /trace", () => {
  it("reviews the diff with no model, and exports the calls as JSON that can be read back", async () => {
    using cart = changedCart();
    await using pi = await scriptedPiSession({
      cwd: cart.project,
      ui: { select: () => "Allow once" },
      extensions: [createNestbox({ policy: quietPolicy({ typeAheadMs: 0 }) })],
    });
    await pi.prompt("/review --skip-tests", []);
    const [text = ""] = shown(pi);
    expect(text).toMatch(/^\/review --skip-tests\n/);
    expect(text).toContain("src/cart.ts");
    await pi.prompt("/trace export trace.json", []);
    const file = join(cart.project, "trace.json");
    const read = readTrace(readFileSync(file, "utf8"));
    if (!read.ok) throw new Error("unreadable");
    expect(read.trace.calls).toMatchObject([{ name: "review_diff", status: "ok" }]);
    expect(read.trace.calls[0]?.children.map(({ name }) => name)).toContain("run_checks");
    // The tests run where files have modes.
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await pi.prompt("/trace export trace.json", []);
    expect(pi.ui?.notifications.at(-1)).toMatchObject({ type: "error" });
  });

  it("shows the calls of the model's run, which a run without a call leaves", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("run", [
      call("codemode", { code: "return await tools.read({ path: 'none' })" }, "C"),
      "done",
    ]);
    await pi.prompt("talk", ["words"]);
    await pi.prompt("/trace", []);
    expect(pi.ui?.notifications.at(-1)?.message).toMatch(/[✓✗] codemode [^]*\n {2}└ ✗ read/);
  });

  it("shows of two runs by hand the last one alone", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("/codemode return (await ctx.executeTool('read', { path: 'first' })).isError", []);
    await pi.prompt("/codemode return (await ctx.executeTool('read', { path: 'second' })).isError", []);
    await pi.prompt("/trace", []);
    const tree = pi.ui?.notifications.at(-1)?.message ?? "";
    expect(tree.match(/codemode/g)).toHaveLength(1);
    expect(tree).toContain("second");
  });

  it("keeps nothing when traces are off", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of ours
      settings: { nestbox: { traces: false } } as object,
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("/codemode return 1", []);
    await pi.prompt("/trace", []);
    expect(pi.ui?.notifications.at(-1)?.message).toContain("Traces are off");
  });
});
