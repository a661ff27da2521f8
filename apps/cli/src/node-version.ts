/** The oldest Node that can run the command line; its own `engines` field says the same. */
const OLDEST = [22, 19] as const;

/** What to say where this Node is too old, else `undefined`. Imports nothing, and is read by any Node since 18. */
export function nodeProblem(version: string, file: string): string | undefined {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return [
    `nestbox: Node ${version} (${file}) is too old: Nestbox needs Node ${OLDEST.join(".")} or later, and Node 24 or 26 to run scripts.`,
    "Install Node 26 from https://nodejs.org or with your version manager, then run the same command again.",
    "",
  ].join("\n");
}
