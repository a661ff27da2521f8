import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { InspectorError } from "../error.ts";
import type { PageAssets } from "../html.ts";

/** How long building the page from source may take. */
const BUILD_TIMEOUT_MS = 120_000;

/** The built page: shipped next to this file, or from source built once for each state of the source. */
export async function pageAssets(): Promise<PageAssets> {
  const here = fileURLToPath(import.meta.url);
  try {
    if (!here.endsWith(".ts")) return read(join(dirname(here), "../page/page.json"));
    const root = join(dirname(here), "../..");
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
