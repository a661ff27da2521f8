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
  const realRoot = realOf(root);
  const dependency = folderOf(require, "acorn");
  return {
    main: source ? join(root, "src", "sandbox", "main.ts") : join(root, "dist", "sandbox", "main.js"),
    conditions: source ? ["--conditions=@nestbox/source"] : [],
    prebuilds: join(library, "prebuilds"),
    readable: [
      ...new Set([
        root,
        realRoot,
        ...(dependency === undefined ? [] : [dependency]),
        ...lookups(root, "acorn"),
        ...lookups(realRoot, "acorn"),
      ]),
    ],
  };
}

/** The folder of a package, where it is one on the disk; Yarn has them in archives that nothing but its own loader reads. */
function folderOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    return realpathSync(dirname(require.resolve(`${name}/package.json`)));
  } catch {
    return undefined;
  }
}

/** A program that carries its files in itself has names for them that no disk knows. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Why no sandbox can be started from these files, and what to do; undefined where nothing is known against it. */
export function whyUnusable(files: SandboxFiles, loader = process.versions["pnp"]): string | undefined {
  if (!existsSync(files.main))
    return `There is no ${files.main}: @nestbox/codemode was bundled into another file, or installed in part. Leave it out of the bundle (as an external package), or install it again.`;
  if (loader !== undefined)
    return "Scripts need the files of @nestbox/codemode on the disk, and Yarn's Plug'n'Play keeps them in archives. Write `nodeLinker: node-modules` into .yarnrc.yml and run `yarn install`.";
  const platform = `${process.platform}-${process.arch}`;
  if (!existsSync(join(files.prebuilds, platform)))
    return `There is no isolated-vm for ${platform} in ${files.prebuilds}. Scripts run on Linux (x64, arm64), macOS (arm64) and Windows (x64): on one of these install @nestbox/codemode again, elsewhere use a container.`;
  return undefined;
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
