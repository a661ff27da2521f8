/** What a benchmark's command line says when it is asked for help, or is not understood. */

export interface Option {
  readonly type: "string" | "boolean";
  readonly default?: string | boolean;
  /** What it means, in a few words. */
  readonly about: string;
}

export interface Answer {
  readonly exitCode: number;
  readonly out?: string;
  readonly error?: string;
}

type Options = Readonly<Record<string, Option>>;

/** Runs a command that reads its options with `parseArgs`; help ends with 0, and what is not understood with 2. */
export async function withUsage(
  command: string,
  options: Options,
  args: readonly string[],
  run: () => number | Promise<number>,
): Promise<Answer> {
  if (args.includes("--help") || args.includes("-h")) return { exitCode: 0, out: usage(command, options) };
  try {
    return { exitCode: await run() };
  } catch (error) {
    if (!isMisuse(error)) throw error;
    // Node goes on with advice for commands that take more than options.
    const [what = ""] = error.message.split(". ");
    return { exitCode: 2, error: `${what}.\nTry: pnpm bench ${command} --help` };
  }
}

/** All that there is to measure, by what is typed. */
export function overview(commands: Readonly<Record<string, string>>): string {
  const rows = Object.entries(commands);
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`);
  return [
    "pnpm bench [name …]",
    "",
    ...lines,
    "",
    "Without a name: policy, calls and codemode. `pnpm bench fleet --help` and `pnpm bench scale --help` have their options.",
  ].join("\n");
}

/** How many, where a command takes that; `undefined`: it is no number of anything. */
export function readCount(word: string | undefined, otherwise: number): number | undefined {
  if (word === undefined) return otherwise;
  const count = Number(word);
  return /^\d+$/.test(word) && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

function usage(command: string, options: Options): string {
  const rows = Object.entries(options).map(([name, { type, about, default: value }]) => {
    const isGiven = typeof value === "string";
    return [`  --${name}${type === "string" ? " <value>" : ""}`, isGiven ? `${about} (${value})` : about];
  });
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  const lines = rows.map(([name = "", about = ""]) => `${name.padEnd(width)}  ${about}`);
  return [`pnpm bench ${command} [options]`, "", ...lines].join("\n");
}

function isMisuse(error: unknown): error is Error {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("ERR_PARSE_ARGS")
  );
}
