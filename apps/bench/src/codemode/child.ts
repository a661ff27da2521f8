/** Holds one engine and measures what it is told to: a line in, a line out. */
import { createInterface } from "node:readline";
import type { Engine, EngineSession } from "./engine.ts";
import { benchTools } from "./tools.ts";

const ENGINES: Readonly<Record<string, () => Promise<Engine>>> = {
  nestbox: async () => (await import("./engines/nestbox.ts")).nestbox,
  "pi-codemode": async () => (await import("./engines/pi-codemode.ts")).piCodemode,
  run: async () => (await import("./engines/run.ts")).runEngine,
  tanstack: async () => (await import("./engines/tanstack.ts")).tanstack,
  utcp: async () => (await import("./engines/utcp.ts")).utcp,
  bare: async () => (await import("./engines/bare.ts")).bare,
};

async function main(name: string): Promise<void> {
  const load = ENGINES[name];
  if (load === undefined) throw new Error(`There is no engine ${name}`);
  const tools = benchTools();
  const started = performance.now();
  const session: EngineSession = await (await load()).open(tools);
  await session.run("return 1");
  answer({ firstMs: performance.now() - started });
  for await (const line of createInterface({ input: process.stdin })) {
    const { code, expected } = JSON.parse(line) as { code: string; expected: unknown };
    const begun = performance.now();
    try {
      const value = await session.run(code);
      const ms = performance.now() - begun;
      answer(value === expected ? { ms } : { error: `returned ${JSON.stringify(value)}` });
    } catch (error) {
      answer({ error: error instanceof Error ? error.message : String(error) });
    }
  }
  await session.close();
  process.exit(0);
}

function answer(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

await main(process.argv[2] ?? "");
