/**
 * `pnpm bench [name …]`: the benchmarks, each in one run with its peers. Quote medians and ratios: machines are noisy.
 */
import { machine } from "./measure.ts";
import { type Answer, withUsage } from "./options.ts";

const benches: ReadonlyMap<string, () => Promise<string>> = new Map([
  ["policy", async () => (await import("./policy.ts")).benchPolicy()],
  ["calls", async () => (await import("./calls.ts")).benchCalls()],
  ["codemode", async () => (await import("./codemode.ts")).benchCodemode()],
]);

const wanted = process.argv.slice(2);
if (wanted[0] === "soak") {
  const { soak } = await import("./soak.ts");
  process.exit(await soak(Number(wanted[1] ?? 10_000)));
}
if (wanted[0] === "fleet") {
  const { fleet, OPTIONS } = await import("./fleet/fleet.ts");
  end(await withUsage("fleet", OPTIONS, wanted.slice(1), () => fleet(wanted.slice(1))));
}
if (wanted[0] === "scale") {
  const { scale, OPTIONS } = await import("./scale/scale.ts");
  end(await withUsage("scale", OPTIONS, wanted.slice(1), () => scale(wanted.slice(1))));
}
const unknown = wanted.filter((name) => !benches.has(name));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(", ")}. There are: ${[...benches.keys()].join(", ")}.`);
  process.exitCode = 2;
} else {
  console.log(machine());
  for (const name of wanted.length === 0 ? benches.keys() : wanted) {
    console.log(`\n${name}\n${await benches.get(name)?.()}`);
  }
}

function end({ exitCode, out, error }: Answer): never {
  if (out !== undefined) console.log(out);
  if (error !== undefined) console.error(error);
  process.exit(exitCode);
}
