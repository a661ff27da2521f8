import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the sandbox process runs and may read. */
export interface SandboxFiles {
  readonly main: string;
  readonly conditions: readonly string[];
  /** Folder of the prebuilt libraries. */
  readonly prebuilds: string;
  readonly readable: readonly string[];
}

/** From source next to the `.ts` files, with the library from `node_modules`; published from `dist` and `vendor`. */
export function sandboxFiles(): SandboxFiles {
  const here = fileURLToPath(import.meta.url);
  const source = here.endsWith(".ts");
  const root = findRoot(dirname(here));
  const require = createRequire(import.meta.url);
  const library = source
    ? dirname(require.resolve("isolated-vm/package.json"))
    : join(root, "vendor", "isolated-vm");
  const dependency = realpathSync(dirname(require.resolve("acorn/package.json")));
  return {
    main: source ? join(root, "src", "sandbox", "main.ts") : join(root, "dist", "sandbox", "main.js"),
    conditions: source ? ["--conditions=@nestbox/source"] : [],
    prebuilds: join(library, "prebuilds"),
    readable: [
      ...new Set([
        root,
        realpathSync(root),
        dependency,
        ...lookups(root, "acorn"),
        ...lookups(realpathSync(root), "acorn"),
      ]),
    ],
  };
}

/** Where Node looks for a dependency on its way up, as far as it has to go. */
function lookups(root: string, name: string): readonly string[] {
  const places: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    places.push(place);
    if (existsSync(place) || dirname(folder) === folder) return places;
  }
}

function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (dirname(folder) === folder) return start;
  }
}
