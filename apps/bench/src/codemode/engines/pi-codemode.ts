import { CodemodeSandbox } from "@earendil-works/pi-codemode";
import type { Engine } from "../engine.ts";

export const piCodemode: Engine = {
  open(tools) {
    const sandbox = new CodemodeSandbox({
      timeoutMs: Number.POSITIVE_INFINITY,
      memoryLimitBytes: 256 * 1024 * 1024,
      tools: Object.entries(tools).map(([name, execute]) => ({
        name,
        execute: (args: unknown) => execute((args ?? {}) as Record<string, unknown>),
      })),
    });
    return Promise.resolve({
      async run(code: string) {
        const result = await sandbox.execute(code);
        if (!result.ok) throw new Error(result.error.message);
        return result.value;
      },
      close: () => sandbox.close(),
    });
  },
};
