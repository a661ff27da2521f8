/** Longest name that models accept. */
const maxNameChars = 64;

/** The namespace of a server, `mcp__<server>`, made of characters that models accept. */
export function mcpNamespaceName(server: string): string {
  return `mcp__${sanitize(server)}`;
}

/**
 * Names for the tools of one server, `mcp__<server>__<tool>`. Tools whose names become the same get a suffix made of
 * their own name, all of them: which is which never depends on the order of the list.
 */
export function mcpToolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = new Map(tools.map((tool) => [tool, `${mcpNamespaceName(server)}__${sanitize(tool)}`]));
  const counts = new Map<string, number>();
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      if (name.length <= maxNameChars && counts.get(name) === 1) return [tool, name];
      const suffix = `_${hash(`${server}\0${tool}`)}`;
      return [tool, `${name.slice(0, maxNameChars - suffix.length)}${suffix}`];
    }),
  );
}

function sanitize(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** 64 bits of FNV-1a as 13 digits of base 36: to tell names apart, not to keep a secret. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value.toString(36).padStart(13, "0");
}
