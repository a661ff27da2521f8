import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve } from "node:path";

import { exitCodes } from "../exit-codes.ts";
import { isPackageName, packageNameOf } from "../init/package-name.ts";
import { fillTemplate } from "../init/template.ts";
import { type Streams, writeJsonLine } from "../output.ts";
import { templateFolder } from "../template-folder.ts";
import { UsageError } from "../usage-error.ts";

export interface InitOptions {
  readonly json?: boolean;
  readonly name?: string;
}

/** `nestbox init`: writes a new extension into an empty or a new folder; nothing is overwritten. */
export function init(given: string, options: InitOptions, streams: Streams): number {
  const folder = resolve(given);
  const name = options.name ?? packageNameOf(basename(folder));
  if (!isPackageName(name))
    throw new UsageError(`--name ${name}: npm does not take this as a name of a package.`);
  requireEmpty(folder, given);
  const files = fillTemplate(templateFolder, {
    name,
    policyVersion: rangeOf("@nestbox/policy"),
    toolVersion: rangeOf("@nestbox/tool"),
  });
  for (const { path, text } of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
  if (options.json === true)
    writeJsonLine(streams, { ok: true, folder, name, files: files.map(({ path }) => path) });
  else {
    const path = relative(process.cwd(), folder) || ".";
    const place = path.startsWith("..") ? folder : path;
    streams.stdout.write(
      [
        `${name} is in ${place}:`,
        ...files.map((file) => `  ${file.path}`),
        "",
        ...nextSteps(place, rangeOf("@nestbox/tool")),
        "",
      ].join("\n"),
    );
  }
  return exitCodes.ok;
}

/** A version that was never released is in no registry. */
function nextSteps(place: string, range: string): readonly string[] {
  const folder = /^[\w./-]+$/.test(place) ? place : `'${place.replaceAll("'", "'\\''")}'`;
  if (range !== "^0.0.0") return [`Next: cd ${folder} && npm install && npm test`];
  const tarballs = ["tool", "policy"].map((name) => `<clone>/tarballs/nestbox-${name}-0.0.0.tgz`);
  return [
    "Nestbox is not on npm yet. In a clone of its repository:  npx -y pnpm@12 tarballs",
    `Next: cd ${folder} && npm install ${tarballs.join(" ")} && npm test`,
  ];
}

function requireEmpty(folder: string, given: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory())
    throw new UsageError(`${given}: it is a file; name a folder that is empty or new.`);
  // A repository that was just made is empty as well.
  const inside = readdirSync(folder).filter((name) => name !== ".git");
  if (inside.length > 0)
    throw new UsageError(
      `${given}: the folder is not empty, and nothing is overwritten; name one that is empty or new.`,
    );
}

/** The version that this command line itself uses, and what is compatible with it. */
function rangeOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return `^${(JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version}`;
}
