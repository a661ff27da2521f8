import type { CommandCall } from "../effects.ts";

/** The names that Pi's own program goes by. */
export function isPi(name: string): boolean {
  return name === "pi" || name === "pi-coding-agent";
}

/** Whether the command has one of these flags, by canonical name. */
export function has(call: CommandCall, ...names: readonly string[]): boolean {
  return call.parsed.flags.some((flag) => names.includes(flag.name));
}
