import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { InspectorError } from "../error.ts";
import type { PageAssets } from "../html.ts";

/** How long building the page from source may take. */
const BUILD_TIMEOUT_MS = 120_000;

/** The built page: shipped with the package, or from source built once for each state of the source. */
export async function pageAssets(): Promise<PageAssets> {
  const here = fileURLToPath(import.meta.url);
  const root = findRoot(dirname(here));
  try {
    if (!here.endsWith(".ts")) return await read(join(root, "dist/page/page.json"));
    const folder = join(root, "node_modules/.cache/page", sourceHash(root));
    const file = join(folder, "page.json");
    return await read(file).catch(async () => {
      await promisify(execFile)(process.execPath, [join(root, "scripts/build-page.ts"), folder], {
        cwd: root,
        timeout: BUILD_TIMEOUT_MS,
      });
      return read(file);
    });
  } catch (cause) {
    throw new InspectorError("no-page", "The inspector's page is not there: the package was not built.", {
      cause,
    });
  }
}

/** The folder of the package: code that is bundled stands at another depth than its source. */
function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) || dirname(folder) === folder) return folder;
  }
}

async function read(file: string): Promise<PageAssets> {
  return JSON.parse(await readFile(file, "utf8")) as PageAssets;
}

function sourceHash(root: string): string {
  const hash = createHash("sha256");
  const files = globSync(["src/{page,model}/**/*", "scripts/build-page.ts", "package.json"], { cwd: root });
  for (const name of files.sort().filter((one) => /\.(?:tsx?|css|json)$/.test(one)))
    hash.update(`${name}\u0000`).update(readFileSync(join(root, name)));
  return hash.digest("hex").slice(0, 32);
}
