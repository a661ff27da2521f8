import type { BenchTools } from "./engine.ts";

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
    text: () => Promise.resolve(text),
  };
}
