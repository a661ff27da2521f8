import { type Command, InvalidArgumentError } from "commander";

import type { FleetWorld } from "../fleet/fleet-world.ts";
import type { Interrupts } from "../interrupts.ts";
import type { Streams } from "../output.ts";

/** What every command is given when it registers itself. */
export interface CommandContext {
  readonly streams: Streams;
  /** Aborted when the command is interrupted. */
  readonly signal: AbortSignal;
  /** Absent where there is no keyboard. */
  readonly interrupts?: Interrupts;
  /** What the commands of the fleet have around them. Default: this machine's. */
  readonly fleet?: FleetWorld;
  /** Tells the exit code. */
  readonly done: (exitCode: number) => void;
}

/** Adds one command, with its words and help; what it does is loaded when it is used. */
export type AddCommand = (program: Command, context: CommandContext) => void;

export const JSON_OPTION = ["--json", "print one JSON object as the last line"] as const;
export const TOOLS_OPTION = [
  "--tools <module>",
  "a module whose default export is a list of tools, instead of the review tools (repeatable)",
] as const;
export const EXTENSION_OPTION = [
  "--extension <path>",
  "an extension of Pi (a file or a folder) whose tools come on top (repeatable)",
] as const;
export const MCP_OPTION = [
  "--mcp <file>",
  "a JSON file with mcpServers, whose tools scripts can call as well (repeatable)",
] as const;
export const POLICY_OPTION = [
  "--policy <file>",
  "a policy file (repeatable); without it the annotation default holds",
] as const;
const CONFIG_MEANING =
  "defaults for these options (default: nestbox.config.jsonc here, without tools, extension and node)";

export const DRY_RUN_OPTION = [
  "--policy-dry-run",
  "deny nothing and ask nobody, and say at the end what would have been denied; calls have their effects",
] as const;

/** Adds the options of every command that has tools. */
export function withTools(command: Command, configMeaning: string = CONFIG_MEANING): Command {
  return command
    .option(...TOOLS_OPTION, collect)
    .option(...EXTENSION_OPTION, collect)
    .option("--config <file>", configMeaning)
    .option("--cwd <folder>", "working folder of the tools");
}

/** Parses a repeatable option. */
export function collect(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number <= 0)
    throw new InvalidArgumentError("It must be a whole number above 0.");
  return number;
}

/** The port of `nestbox mcp --http`, which `nestbox doctor` looks at too. */
export const DEFAULT_PORT = 4747;

export function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError("It must be a port: 0 to 65535.");
  return number;
}
