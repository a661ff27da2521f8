import { createNodeIsolateDriver } from "@tanstack/ai-isolate-node";
import type { Engine } from "../engine.ts";

/** Sits inside the process that measures. Its scripts are whole programs, so the body is wrapped. */
export const tanstack: Engine = {
  node: 24,
  open(tools) {
    const driver = createNodeIsolateDriver({ memoryLimit: 256, timeout: 60_000 });
    const bindings = Object.fromEntries(
      Object.entries(tools).map(([name, execute]) => [
        name,
        { name, description: name, inputSchema: {}, execute },
      ]),
    );
    return Promise.resolve({
      async run(code: string) {
        const context = await driver.createContext({ bindings } as never);
        try {
          const names = Object.keys(tools).map((name) => `${name}: ${name}`);
          const result = await context.execute(`const tools = { ${names.join(", ")} }; ${code}`);
          if (!result.success) throw new Error(result.error?.message ?? "failed");
          return result.value;
        } finally {
          await context.dispose();
        }
      },
      close: () => Promise.resolve(),
    });
  },
};
