import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const PI = "@earendil-works/pi-coding-agent";

/** What Pi hands to extensions, so that they need not install it: by the name they import, the file in Pi's folder. */
const PROVIDED = [
  PI,
  "@earendil-works/pi-agent-core",
  "@earendil-works/pi-ai",
  "@earendil-works/pi-tui",
  "typebox",
  "typebox/compile",
  "typebox/value",
] as const;

/** Names that extensions of older times use. */
const FORMER: Readonly<Record<string, (typeof PROVIDED)[number]>> = {
  "@sinclair/typebox": "typebox",
  "@sinclair/typebox/compile": "typebox/compile",
  "@sinclair/typebox/value": "typebox/value",
  "@mariozechner/pi-coding-agent": PI,
  "@mariozechner/pi-agent-core": "@earendil-works/pi-agent-core",
  "@mariozechner/pi-ai": "@earendil-works/pi-ai",
  "@mariozechner/pi-tui": "@earendil-works/pi-tui",
};

/** Whether an import is one that Pi brings. */
export function isProvided(name: string): boolean {
  return (PROVIDED as readonly string[]).includes(name) || Object.hasOwn(FORMER, name);
}

/** The folder of Pi: next to the extension, else that of the `pi` on PATH, else next to this program. */
export function findPi(
  extension: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const onPath = (env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => (folder === "" ? [] : [join(folder, "pi")]))
    .find((file) => existsSync(file));
  return (
    installed(dirname(extension)) ??
    (onPath === undefined ? undefined : packageOf(realpathSync(onPath))) ??
    installed(import.meta.dirname)
  );
}

/** Files by name, for what is there. */
export function providedModules(
  pi: string,
  resolve: (name: string, from: string) => string | undefined,
): Readonly<Record<string, string>> {
  const from = join(pi, "package.json");
  const files = new Map<string, string>(
    PROVIDED.flatMap((name) => {
      const file = name === PI ? join(pi, "dist", "index.js") : resolve(name, from);
      return file === undefined ? [] : [[name, file] as const];
    }),
  );
  for (const [name, now] of Object.entries(FORMER)) {
    const file = files.get(now);
    if (file !== undefined) files.set(name, file);
  }
  return Object.fromEntries(files);
}

function installed(folder: string): string | undefined {
  for (const place of createRequire(join(folder, "x.js")).resolve.paths(PI) ?? []) {
    const found = join(place, ...PI.split("/"));
    if (existsSync(join(found, "package.json"))) return realpathSync(found);
  }
  return undefined;
}

function packageOf(file: string): string | undefined {
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name?: string };
    if (name === PI) return folder;
  }
  return undefined;
}
