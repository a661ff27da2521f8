import { readdirSync, readFileSync } from "node:fs";

/** Processes whose parent is this one and which run the sandbox's main file. */
export function sandboxes(): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = /\nPPid:\s*(\d+)/.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1];
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return Number(parent) === process.pid && command.includes("sandbox/main") ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
