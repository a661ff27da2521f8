import { ToolError } from "./error.ts";
import { shorten } from "./truncate.ts";

/** What models accept as a tool's name. */
const toolNamePattern = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The identifier under which a script reaches a tool, made as Pi makes it: what cannot stand there becomes `_`
 * (`my-tool` is `my_tool`, `2fa` is `_fa`). Two names may give one identifier: see {@link findNameCollisions}.
 */
export function toIdentifier(name: string): string {
  const word = name.replace(/[^A-Za-z0-9_$]/gu, "_").replace(/^[0-9]/, "_");
  return word === "" ? "_" : word;
}

/** What is wrong with a name, with the fix in the message; `undefined` when nothing is. */
export function toolNameFault(name: unknown): string | undefined {
  if (typeof name !== "string")
    return `A tool's name is a string, not ${name === null ? "null" : typeof name}.`;
  if (toolNamePattern.test(name)) return undefined;
  const fixed = name
    .replace(/[^a-zA-Z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 64);
  const shown = JSON.stringify(shorten(name, 80));
  const rule = "models accept 1 to 64 of a-z, A-Z, 0-9, _ and -";
  return `Tool name ${shown} is refused: ${rule}. ${fixed === "" ? "Choose such a name." : `Use "${fixed}".`}`;
}

/** Throws a `ToolError` with code `bad-name` for a name that models do not accept. */
export function checkToolName(name: unknown): asserts name is string {
  const fault = toolNameFault(name);
  if (fault !== undefined) throw new ToolError("bad-name", fault);
}

/** Two names that cannot stand side by side. */
export interface NameCollision {
  readonly identifier: string;
  /** In the order they came; the same name twice is in it twice. */
  readonly names: readonly string[];
  /** What to do about it. */
  readonly message: string;
}

/** Names that are the same, or become the same identifier in a script: `read-file` and `read_file`. */
export function findNameCollisions(names: readonly string[]): readonly NameCollision[] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const identifier = toIdentifier(name);
    const group = groups.get(identifier);
    if (group === undefined) groups.set(identifier, [name]);
    else group.push(name);
  }
  return [...groups].flatMap(([identifier, group]) => {
    if (group.length < 2) return [];
    const list = group.map((name) => JSON.stringify(shorten(name, 80))).join(" and ");
    const same = new Set(group).size === 1;
    const message = same
      ? `Tool name ${list} is given twice. Rename one of them.`
      : `Tool names ${list} both become \`${identifier}\` in a script. Rename one of them.`;
    return [{ identifier, names: group, message }];
  });
}

/** Checks each name and all of them together. Throws a `ToolError` with code `bad-name` that lists every fault. */
export function checkToolNames(names: readonly string[]): void {
  const faults = [
    ...names.flatMap((name) => toolNameFault(name) ?? []),
    ...findNameCollisions(names).map(({ message }) => message),
  ];
  if (faults.length > 0) throw new ToolError("bad-name", faults.join("\n"));
}
