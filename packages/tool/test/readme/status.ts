import { int, obj } from "@earendil-works/pi-schema";
import { dataResult, defineTool, refusal } from "@nestbox/tool";
import { commandText, runCommand } from "@nestbox/tool/node";

export const status = defineTool({
  name: "status",
  description: "Says what git has not committed yet.",
  parameters: obj({}),
  outputSchema: obj({ exitCode: int() }),
  async execute(_id, _params, signal, _onUpdate, context) {
    const cwd = context?.cwd ?? ".";
    const result = await runCommand("git", ["status", "--porcelain"], {
      cwd,
      timeoutMs: 30_000,
      ...(signal && { signal }),
    });
    if (result.kind !== "exited") throw refusal(`git status did not finish: ${result.kind}`);
    return dataResult({ exitCode: result.exitCode }, { text: (await commandText(result)).text });
  },
});
