import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { JsonObject } from "@nestbox/tool";
import { call, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { createMemoryGrants } from "../../src/gate/grants.ts";
import { openAuditLog } from "../../src/node/audit-log.ts";
import { CHOICES, EDITS, SCOPES } from "../../src/pi/dialog.ts";
import { createPolicyExtension } from "../../src/pi/index.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { notingTools, scriptTool, textOf, type Ran } from "./tools.ts";

const folder = tempFolders();

const TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const PASSWORD = "hunter2-of-the-warehouse";
const SECRETS = [TOKEN, PASSWORD, TOKEN.slice(0, 20), TOKEN.slice(-16)];

/** Secrets where they really stand: in flags, headers, variables, behind a line end, and where a text is cut. */
const commands = (program: string): readonly string[] => [
  `${program} --password ${PASSWORD} up`,
  `${program} -H "Authorization: Bearer ${TOKEN}" up`,
  `API_TOKEN=${TOKEN} ${program} up`,
  `${program} up \\\n${TOKEN}`,
  ...[0, 10, 20, 30].map(
    (shift) => `${program} ${"x".repeat(185 - program.length - shift)} ${TOKEN} ${"y ".repeat(400)}`,
  ),
];

/** A session with a policy file, the real engine and an audit on disk, and all that the model and the record got. */
async function told(program: string, ui?: ScriptedPiSessionOptions["ui"]) {
  const files = folder();
  const path = join(files, "policy.jsonc");
  writeFileSync(
    path,
    JSON.stringify({
      version: 1,
      tools: { shell: { shell: { argument: "command" } } },
      rules: [
        { id: "script", effect: "allow", tool: "script" },
        { id: "never", effect: "deny", command: { program: "forbidden" } },
        { id: "first", effect: "ask", command: { program: "careful" } },
        { id: "no-look", effect: "deny", tool: "look" },
      ],
    }),
  );
  const dir = join(files, "audit");
  const ran: Ran[] = [];
  const inputs: readonly JsonObject[] = commands(program).map((command) => ({ command }));
  const session = await scriptedPiSession({
    extensions: [
      notingTools(ran),
      scriptTool("script", async (ctx) => {
        const texts = [];
        for (const input of inputs) texts.push(textOf(await ctx.executeTool("shell", input)));
        return texts.join("\n");
      }),
      createPolicyExtension({
        files: [{ path, layer: "user" }],
        grants: createMemoryGrants(),
        audit: openAuditLog({ dir, session: "secrets" }),
        gate: { gatherMs: 0 },
      }),
    ],
    noTools: "builtin",
    ...(ui === undefined ? {} : { ui }),
  });
  await using _ = session;
  await session.prompt("go", [
    inputs.map((input) => call("shell", input)),
    call("script"),
    call("look", { path: TOKEN }),
    "done",
  ]);
  const results = session.toolResults();
  // The record of nested calls repeats the arguments as its caller wrote them; what is told is the content.
  const model = JSON.stringify(results.map(({ content, details }) => ({ content, details })));
  const audit = readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("");
  return { ran, model, audit, results, dialogs: session.ui?.dialogs ?? [] };
}

describe("a secret in the arguments of a call", () => {
  it.each([
    ["that is denied", "forbidden", undefined, "never"],
    ["that nobody could be asked about", "careful", undefined, "first"],
    ["that was declined", "careful", { select: CHOICES.deny }, "first"],
  ] as const)(
    "%s is in no message to the model and in no line of the record",
    async (_title, program, ui, rule) => {
      // contract B10
      const { ran, model, audit, results } = await told(program, ui);
      expect(ran).toEqual([]);
      expect(results.filter(({ isError }) => isError)).toHaveLength(commands(program).length + 1);
      // It is told about, and on record, all the same.
      expect(model.split(rule).length).toBeGreaterThan(commands(program).length * 2);
      expect(audit.split("\n").filter((line) => line.includes(`"${rule}"`))).toHaveLength(
        commands(program).length * 2,
      );
      expect(model).toContain(program);
      for (const secret of SECRETS) {
        expect(model).not.toContain(secret);
        expect(audit).not.toContain(secret);
      }
    },
  );

  it("that a person approves and has remembered is in no line of the record, and they see all of it", async () => {
    // contract B10
    const { ran, model, audit, dialogs } = await told("careful", {
      select: ({ options = [] }) =>
        [CHOICES.remember, SCOPES.session, EDITS.keep].find((choice) => options.includes(choice)) ??
        options[0],
    });
    expect(ran).toHaveLength(commands("careful").length * 2);
    expect(dialogs.map(({ title }) => title).join("\n")).toContain(PASSWORD);
    expect(audit).toContain('"grant"');
    for (const secret of SECRETS) {
      expect(model).not.toContain(secret);
      expect(audit).not.toContain(secret);
    }
  });
});
