/** Members that a promise or a serializer asks any object for: `tools` never has them. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ["then", "`tools.then` would make `await tools` call the tool"],
  ["toJSON", "`tools.toJSON` would make `JSON.stringify(tools)` call the tool"],
]);

const START = /^[A-Za-z_$]$/;
const PART = /^[A-Za-z0-9_$]$/;

/** The identifier of a name: every character that cannot stand in one becomes `_`, `my-tool` is `my_tool`. */
export function toIdentifier(name: string): string {
  let identifier = "";
  for (const char of name) identifier += (identifier === "" ? START : PART).test(char) ? char : "_";
  return identifier === "" ? "_" : identifier;
}

export interface NamedTool {
  /** The tool's exact name, as `ctx.executeTool` takes it. */
  readonly name: string;
  /** The member of `tools` that a script is shown. */
  readonly identifier: string;
  /** Why the identifier is not the one that the name would give, if it is not. */
  readonly reason?: string;
}

export interface ToolNames {
  /** In the order of the tools. */
  readonly tools: readonly NamedTool[];
  /** Every member of `tools`, identifiers and exact names, with the exact name of the tool it calls. */
  readonly members: ReadonlyMap<string, string>;
  /** The identifier of an exact name. */
  identifierOf(name: string): string;
  /** The exact name that an identifier or an exact name stands for. */
  resolve(nameOrIdentifier: string): string | undefined;
}

/** Eight hexadecimal digits that depend on the name alone. */
function digest(name: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/**
 * Gives every tool an identifier of its own, whatever order the tools come in. A tool whose exact name is an
 * identifier owns it. Of several others that would share one, the first by code units gets it; the rest get a
 * suffix made from their own name, which does not change when tools come and go.
 */
export function nameTools(names: readonly string[]): ToolNames {
  const unique = [...new Set(names)];
  const exact = new Set(unique);
  const owners = new Map<string, string>();
  for (const name of unique.toSorted(byCodeUnits)) {
    const identifier = toIdentifier(name);
    if (TAKEN.has(identifier) || (exact.has(identifier) && identifier !== name)) continue;
    if (!owners.has(identifier)) owners.set(identifier, name);
  }
  const byName = new Map<string, NamedTool>();
  for (const name of unique.toSorted(byCodeUnits)) {
    const plain = toIdentifier(name);
    if (owners.get(plain) === name) {
      byName.set(name, { name, identifier: plain });
      continue;
    }
    let identifier = `${plain}_${digest(name)}`;
    while (owners.has(identifier) || exact.has(identifier)) identifier += "_";
    owners.set(identifier, name);
    const reason =
      TAKEN.get(plain) ?? `\`tools.${plain}\` is the tool ${JSON.stringify(owners.get(plain) ?? plain)}`;
    byName.set(name, { name, identifier, reason });
  }
  const members = new Map(owners);
  for (const name of unique) if (!TAKEN.has(name)) members.set(name, name);
  return {
    tools: unique.flatMap((name) => byName.get(name) ?? []),
    members,
    identifierOf: (name) => byName.get(name)?.identifier ?? toIdentifier(name),
    resolve: (name) => (exact.has(name) ? name : owners.get(name)),
  };
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
