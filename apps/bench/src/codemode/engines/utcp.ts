import { CodeModeUtcpClient } from "@utcp/code-mode";
import type { Engine } from "../engine.ts";

/** Its tools come from a repository of manuals; here they are put in directly, as one manual `tools`. */
export const utcp: Engine = {
  node: 24,
  async open(tools) {
    const client = await CodeModeUtcpClient.create();
    const listed = Object.keys(tools).map((name) => ({
      name: `tools.${name}`,
      description: name,
      inputs: {},
      outputs: {},
      tags: [],
    }));
    Object.assign(client, {
      getTools: () => Promise.resolve(listed),
      callTool: (name: string, args: Record<string, unknown>) => tools[name.replace(/^tools\./, "")]?.(args),
    });
    return {
      async run(code) {
        // Calls are synchronous there: `await` on their value does no harm.
        const { result, logs } = await client.callToolChain(code, 60_000, 256);
        if (result === null) throw new Error(logs.join("\n"));
        return result as unknown;
      },
      close: () => client.close(),
    };
  },
};
