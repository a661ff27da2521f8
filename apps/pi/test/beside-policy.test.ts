import { createMemoryGrants } from "@nestbox/policy";
import { createPolicyExtension } from "@nestbox/policy/pi";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { quietPolicy } from "./support/quiet.ts";

describe("beside an extension that brings a policy of its own", () => {
  const nestbox = () => createNestbox({ policy: quietPolicy({ typeAheadMs: 0 }) });
  const other = () =>
    createPolicyExtension({
      files: [],
      audit: false,
      grants: createMemoryGrants(),
      typeAheadMs: 0,
      command: "other-policy",
    });

  it.each([
    ["loaded before it", () => [nestbox(), other()]],
    ["loaded after it", () => [other(), nestbox()]],
  ] as const)(
    "a person is asked once about a call, and once about a script's: %s",
    async (_title, extensions) => {
      await using pi = await scriptedPiSession({ ui: { select: "Allow once" }, extensions: extensions() });
      await pi.prompt("write", [
        call("write", { path: "a.txt", content: "a" }),
        call("codemode", { code: "await tools.write({ path: 'b.txt', content: 'b' })" }),
        "done",
      ]);
      expect(pi.toolResults().map(({ isError }) => isError)).toEqual([false, false]);
      expect(pi.ui?.dialogs.map(({ title }) => title.split("\n")[0])).toEqual([
        "Allow write?",
        "Allow codemode › write?",
      ]);
    },
  );

  it("a refusal is final, whoever asked", async () => {
    await using pi = await scriptedPiSession({ ui: { select: "Deny" }, extensions: [nestbox(), other()] });
    await pi.prompt("write", [call("write", { path: "a.txt", content: "a" }), "done"]);
    expect(pi.toolResults()[0]?.isError).toBe(true);
    expect(pi.ui?.dialogs).toHaveLength(1);
  });
});
