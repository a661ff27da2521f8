import type { BenchTools } from "./engine.ts";

/** How long the tool `wait` takes. */
export const WAIT_MS = 800;

/** The tools of every measurement: small data, a 5 MB object, a 10 MB string. */
export function benchTools(): BenchTools {
  const rows = Array.from({ length: 34_000 }, (_, id) => ({
    id,
    name: `row number ${id}`,
    tags: ["a", "b", "c"],
    nested: { x: id * 1.5, y: null, ok: true, text: `some longer text here to fill up ${id}` },
  }));
  const text = "0123456789".repeat(1_000_000);
  return {
    noop: (args) => Promise.resolve({ i: args["i"] ?? 0 }),
    rows: () => Promise.resolve({ rows }),
    wait: () => new Promise((resolve) => setTimeout(() => resolve({}), WAIT_MS)),
    text: () => Promise.resolve(text),
  };
}
