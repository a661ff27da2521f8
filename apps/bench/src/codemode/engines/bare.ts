import ivm from "isolated-vm";
import type { Engine } from "../engine.ts";

/** isolated-vm with a bridge of a few lines, inside the process that measures: what the engine itself costs. */
export const bare: Engine = {
  open: (tools) =>
    Promise.resolve({
      async run(code: string) {
        const isolate = new ivm.Isolate({ memoryLimit: 256 });
        try {
          const context = await isolate.createContext();
          const call = new ivm.Reference(async (name: string, json: string) => {
            return JSON.stringify(await tools[name]?.(JSON.parse(json) as Record<string, unknown>));
          });
          const names = JSON.stringify(Object.keys(tools));
          return (await context.evalClosure(
            `const tools = {};
             for (const name of ${names}) {
               tools[name] = async (args) =>
                 JSON.parse(await $0.apply(undefined, [name, JSON.stringify(args)], { result: { promise: true } }));
             }
             return (async () => { ${code} })();`,
            [call],
            { result: { promise: true, copy: true }, timeout: 60_000 },
          )) as unknown;
        } finally {
          isolate.dispose();
        }
      },
      close: () => Promise.resolve(),
    }),
};
