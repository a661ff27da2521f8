/**
 * `pnpm bench [name …]`: the benchmarks, each in one run with its peers. Quote medians and ratios: machines are noisy.
 */
import { machine } from "./measure.ts";
import { type Answer, overview, readCount, withUsage } from "./options.ts";

const benches: ReadonlyMap<string, () => Promise<string>> = new Map([
  ["policy", async () => (await import("./policy.ts")).benchPolicy()],
  ["calls", async () => (await import("./calls.ts")).benchCalls()],
  ["codemode", async () => (await import("./codemode.ts")).benchCodemode()],
]);

const SOAK_SCRIPTS = 10_000;
const COMMANDS = {
  policy: "rules and commands decided a second",
  calls: "what a call costs beyond its tool, and what a trace does",
  codemode: "scripts in an isolate, beside their peers",
  "soak [n]": `n scripts, a tenth of them hostile (${SOAK_SCRIPTS.toLocaleString("en")})`,
  fleet: "two durable engines, with one and two workers",
  scale: "a fleet of any size, simulated from what was measured",
};

const wanted = process.argv.slice(2);
const asksForHelp = wanted.includes("--help") || wanted.includes("-h");
if (asksForHelp && wanted[0] !== "fleet" && wanted[0] !== "scale")
  end({ exitCode: 0, out: overview(COMMANDS) });
if (wanted[0] === "soak") {
  const count = readCount(wanted[1], SOAK_SCRIPTS);
  if (count === undefined || wanted.length > 2)
    end({ exitCode: 2, error: "pnpm bench soak takes one number: how many scripts." });
  const { soak } = await import("./soak.ts");
  process.exit(await soak(count));
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
  console.error(`No benchmark ${unknown.join(", ")}.\nTry: pnpm bench --help`);
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
