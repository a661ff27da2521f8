import { readFileSync } from "node:fs";

/** The version of this package, from its own manifest, one folder up from the source and from the build alike. */
export const version = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }
).version;
