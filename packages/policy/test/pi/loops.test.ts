import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { Type } from "typebox";
import { describe, expect, it } from "vitest";

import { createMemoryGrants } from "../../src/gate/grants.ts";
import { CHOICES, createPolicyExtension } from "../../src/pi/index.ts";
import { tempFolders } from "../node/temp-folder.ts";
import { notingTools, scriptTool, textOf, type Ran } from "./tools.ts";

const folder = tempFolders();

/** A session over a policy file; `tick` gives another result each time, `look` always the same. */
async function start(...rules: readonly object[]) {
  const path = join(folder(), "policy.jsonc");
  const allow = { id: "ok", effect: "allow", tool: "*" };
  writeFileSync(path, JSON.stringify({ version: 1, rules: [allow, ...rules] }));
  const ran: Ran[] = [];
  let ticks = 0;
  const session = await scriptedPiSession({
    extensions: [
      notingTools(ran),
      (pi) => {
        pi.registerTool({
          name: "tick",
          label: "tick",
          description: "Counts",
          parameters: Type.Object({}),
          execute: async () => ({ content: [{ type: "text", text: `${(ticks += 1)}` }], details: {} }),
        });
      },
      scriptTool("script", async (ctx) => {
        const texts = [];
        for (let round = 0; round < 3; round += 1)
          texts.push(textOf(await ctx.executeTool("look", { path: "b" })));
        return texts.join("\n");
      }),
      createPolicyExtension({
        files: [{ path, layer: "user" }],
        grants: createMemoryGrants(),
        audit: false,
        gate: { gatherMs: 0 },
      }),
    ],
    noTools: "builtin",
    ui: { select: CHOICES.deny },
  });
  const asked = () => session.ui?.dialogs.map(({ title }) => title) ?? [];
  return { session, ran, asked };
}

describe("rules about what came before, in a Pi session", () => {
  it("ask about the same call with the same result, made by the model or by a script", async () => {
    const { session, ran, asked } = await start({
      id: "loop",
      effect: "ask",
      tool: ["look", "tick"],
      loop: { identical: 3 },
    });
    await using _ = session;
    const look = call("look", { path: "a" });
    const tick = call("tick");
    await session.prompt("go", [tick, tick, tick, look, look, "done"]);
    expect(asked()).toEqual([]);
    await session.prompt("on", [look, "done"]);
    expect(asked()).toHaveLength(1);
    expect(asked()[0]).toContain("the same call gave the same result 2 times");
    expect(session.resultText()).toContain("loop");
    await session.prompt("script", [call("script"), "done"]);
    expect(asked()).toHaveLength(2);
    expect(ran.map(({ params }) => params)).toEqual(["a", "a", "b", "b"].map((path) => ({ path })));
    expect(session.errors).toEqual([]);
  });

  it("count the questions that a person was shown", async () => {
    const { session, ran, asked } = await start(
      { id: "shells", effect: "ask", tool: "shell" },
      { id: "enough", effect: "deny", tool: ["shell", "look"], limit: { prompts: 1, per: "session" } },
    );
    await using _ = session;
    await session.prompt("go", [
      call("look"),
      call("shell", { command: "a" }),
      call("shell", { command: "b" }),
      call("look"),
      "done",
    ]);
    expect(asked()).toHaveLength(1);
    expect(ran.map(({ tool }) => tool)).toEqual(["look"]);
    expect(session.resultText()).toContain("enough");
  });
});
