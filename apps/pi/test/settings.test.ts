import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { getAgentDir, SettingsManager } from "@earendil-works/pi-coding-agent";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { readParts, readPolicySwitch } from "../src/settings.ts";
import { quietPolicy } from "./support/quiet.ts";

let agentDir = "";
beforeEach(() => {
  agentDir = mkdtempSync(join(tmpdir(), "nestbox-agent-"));
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(agentDir, { recursive: true, force: true });
});

function userSettings(settings: unknown, folder = agentDir): void {
  writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
}

/** Pi's settings type does not know the key; Pi keeps it. */
function withNestbox(nestbox: unknown): NonNullable<ScriptedPiSessionOptions["settings"]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of ours
  return { nestbox } as unknown as NonNullable<ScriptedPiSessionOptions["settings"]>;
}

const push = call("bash", { command: "git push --force origin main" }, "P");

function names(pi: { session: { getAllTools(): readonly { name: string }[] } }) {
  return pi.session.getAllTools().map(({ name }) => name);
}

describe("each part can be switched off in Pi's settings", () => {
  it("merges a person's and a trusted project's settings, keys of ours included", async () => {
    const cwd = join(agentDir, "project");
    mkdirSync(join(cwd, ".pi"), { recursive: true });
    userSettings({ nestbox: { traces: false } });
    writeFileSync(join(cwd, ".pi/settings.json"), JSON.stringify({ nestbox: { review: false } }));
    const trusted = SettingsManager.create(cwd, agentDir, { projectTrusted: true }).getSettings();
    expect([...readParts(trusted).off].sort()).toEqual(["review", "traces"]);
    const untrusted = SettingsManager.create(cwd, agentDir, { projectTrusted: false }).getSettings();
    expect([...readParts(untrusted).off]).toEqual(["traces"]);
  });

  it("registers no tool of a part that is off", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      settings: withNestbox({ review: false, codemode: false }),
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    expect(names(pi)).not.toContain("run_checks");
    expect(names(pi)).not.toContain("codemode");
    expect(pi.ui?.notifications).toEqual([]);
    expect(pi.errors).toEqual([]);
  });

  it("keeps a part on whose switch cannot be read, and says so", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      settings: withNestbox({ review: "no" }),
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    expect(names(pi)).toContain("run_checks");
    expect(pi.ui?.notifications).toEqual([
      { message: expect.stringContaining("nestbox.review is neither true nor false"), type: "warning" },
    ]);
  });
});

describe("a key that switches nothing is told, with the one that was meant", () => {
  it.each<[string, unknown, readonly RegExp[]]>([
    ["a slip", { nestbox: { reveiw: false } }, [/nestbox\.reveiw switches nothing; review was/]],
    ["another case", { nestbox: { codeMode: false } }, [/nestbox\.codeMode .*; codemode was/]],
    ["nothing near", { nestbox: { colours: 1 } }, [/there are codemode, policy, review, traces/]],
    ["a spelling of the key itself", { "nest-box": { review: false } }, [/nest-box .*; nestbox was/]],
    ["a check that is none", { codemode: { check: "refused" } }, [/codemode\.check is neither/]],
    ["a slip in check", { codemode: { chekc: "note" } }, [/codemode\.chekc is unknown; check was/]],
    [
      "a key with what a terminal obeys",
      { nestbox: { "a\u001b[2J": 1 } },
      [/nestbox\."a\\u001b\[2J" switches/],
    ],
  ])("%s", (_what, settings, told) => {
    const { problems, off } = readParts(settings);
    expect(problems).toEqual(told.map((pattern) => expect.stringMatching(pattern) as string));
    expect([...off]).toEqual([]);
  });

  it("leaves alone what is somebody else's", () => {
    const settings = {
      netbox: {},
      nestboxes: {},
      codemode: { mode: "only", inlineBudget: 1, later: true, check: "note" },
      nestbox: { codemode: true, review: true, traces: true, policy: { dryRun: false } },
    };
    expect(readParts(settings).problems).toEqual([]);
  });

  it("counts the rest of very many", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key${at}`, 1]));
    const { problems } = readParts({ nestbox: many });
    expect(problems).toHaveLength(9);
    expect(problems.at(-1)).toContain("992 more keys");
  });

  it("once, when a session starts, and so is a word that the variable cannot say", async () => {
    vi.stubEnv("NESTBOX_POLICY", "of");
    await using pi = await scriptedPiSession({
      ui: {},
      settings: withNestbox({ trace: false }),
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("go", ["done"]);
    expect(pi.ui?.notifications).toEqual([
      { message: expect.stringMatching(/nestbox\.trace .*traces was probably meant/), type: "warning" },
      {
        message: expect.stringMatching(/NESTBOX_POLICY says of, .*it can say on, off, dry-run/),
        type: "warning",
      },
    ]);
  });
});

describe("the policy is switched off by nothing that a project can set", () => {
  it("stays on when the merged settings say off, and says who could", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      settings: withNestbox({ policy: false }),
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("push", [push, "done"]);
    expect(pi.toolResults()[0]?.isError).toBe(true);
    expect(pi.resultText("P")).toMatch(/force/i);
    expect(pi.ui?.notifications).toContainEqual({
      message: expect.stringMatching(/policy stays on.*NESTBOX_POLICY=off/),
      type: "warning",
    });
  });

  for (const [how, set] of [
    [
      "the person's own settings file",
      (folder: string) => userSettings({ nestbox: { policy: false } }, folder),
    ],
    ["the variable", () => void vi.stubEnv("NESTBOX_POLICY", "off")],
  ] as const) {
    it(`is off when ${how} says so, and every session says it`, async () => {
      await using pi = await scriptedPiSession({
        ui: {},
        // A session has an agent folder of its own, which is there when its extensions load.
        extensions: [() => set(getAgentDir()), createNestbox({ policy: quietPolicy() })],
      });
      await pi.prompt("look", [call("bash", { command: "echo looked" }, "B"), "done"]);
      expect(pi.resultText("B")).toContain("looked");
      expect(pi.ui?.dialogs).toEqual([]);
      expect(pi.ui?.notifications).toEqual([
        { message: expect.stringMatching(/policy is off/), type: "warning" },
      ]);
    });
  }

  for (const [how, set] of [
    [
      "the person's own settings file",
      (folder: string) => userSettings({ nestbox: { policy: { dryRun: true } } }, folder),
    ],
    ["the variable", () => void vi.stubEnv("NESTBOX_POLICY", "dry-run")],
  ] as const) {
    it(`only looks on when ${how} says so, says it, and guards its own files all the same`, async () => {
      await using pi = await scriptedPiSession({
        ui: {},
        extensions: [() => set(getAgentDir()), createNestbox({ policy: quietPolicy() })],
      });
      await pi.prompt("go", [
        call("bash", { command: "git push --force nowhere main; echo went on" }, "B"),
        call("write", { path: ".pi/policy.jsonc", content: "{}" }, "W"),
        "done",
      ]);
      expect(pi.resultText("B")).toContain("went on");
      expect(pi.resultText("W")).toContain("leash.files");
      expect(pi.ui?.dialogs).toEqual([]);
      expect(pi.ui?.notifications).toEqual([
        {
          message: expect.stringMatching(/policy only looks on.*Its own files stay guarded/),
          type: "warning",
        },
      ]);
      await pi.session.prompt("/policy");
      const shown = pi.ui?.notifications.at(-1)?.message ?? "";
      expect(shown).toMatch(/^Dry run: nothing is blocked/);
      expect(shown).toContain("enforcing would deny");
    });
  }

  it("stays on when only the merged settings say dry run, and says who could", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      settings: withNestbox({ policy: { dryRun: true } }),
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt("push", [push, "done"]);
    expect(pi.toolResults()[0]?.isError).toBe(true);
    expect(pi.ui?.notifications).toContainEqual({
      message: expect.stringMatching(/policy stays on.*look on only.*NESTBOX_POLICY=dry-run/),
      type: "warning",
    });
  });

  it("is on again when the variable says on, whatever the file says", () => {
    userSettings({ nestbox: { policy: false } });
    const settingsPath = join(agentDir, "settings.json");
    expect(readPolicySwitch({ env: {}, settingsPath })).toEqual({ on: false, by: settingsPath });
    expect(readPolicySwitch({ env: { NESTBOX_POLICY: "on" }, settingsPath })).toEqual({ on: true });
  });

  for (const [what, text] of [
    ["broken JSON", '{"nestbox": {"policy": false'],
    ["a switch that is no boolean", '{"nestbox": {"policy": "false"}}'],
    ["a dry run that is no boolean", '{"nestbox": {"policy": {"dryRun": "true"}}}'],
    ["a dry run beside an unknown key", '{"nestbox": {"policy": {"dryRun": true, "dryrun": false}}}'],
    ["the word dry-run", '{"nestbox": {"policy": "dry-run"}}'],
    ["a switch that is inherited", '{"__proto__": {"nestbox": {"policy": false}}}'],
    ["a list", "[]"],
  ] as const) {
    it(`stays on with ${what} in the person's file`, () => {
      const settingsPath = join(agentDir, "settings.json");
      writeFileSync(settingsPath, text);
      expect(readPolicySwitch({ env: {}, settingsPath })).toEqual({ on: true });
    });
  }

  it("stays on where the file is missing or no file", () => {
    expect(readPolicySwitch({ env: {}, settingsPath: join(agentDir, "none.json") })).toEqual({ on: true });
    expect(readPolicySwitch({ env: {}, settingsPath: agentDir })).toEqual({ on: true });
  });
});
