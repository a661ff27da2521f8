/**
 * The reference of the packages' entries, made of their sources: one page an entry, with what it exports and the
 * comments that stand there. The types are TypeScript's own reading, so that nothing is said twice.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Application, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";

import { root } from "../root.ts";

/** One entry of a package that users get. */
export interface ApiEntry {
  /** As it is imported: `@nestbox/policy/node`. */
  readonly name: string;
  /** Its source, relative to the repository. */
  readonly source: string;
  /** Name of its page: `policy-node`. */
  readonly page: string;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/** Every entry of every public package, in the order of the manifests. */
export function apiEntries(): readonly ApiEntry[] {
  return globSync("{packages,apps}/*/package.json", { cwd: root })
    .sort()
    .flatMap((file) => {
      const manifest = JSON.parse(readFileSync(root + file, "utf8")) as Manifest;
      if (manifest.private === true) return [];
      return Object.entries(manifest.exports ?? {}).flatMap(([entry, target]) => {
        const source = typeof target === "object" ? target["@nestbox/source"] : undefined;
        if (source === undefined) return [];
        const name = manifest.name + entry.slice(1);
        return [
          {
            name,
            source: join(file, "..", source),
            page: name.replace(/^@nestbox\//, "").replaceAll("/", "-"),
          },
        ];
      });
    });
}

/** Makes the reference; gives the Markdown of each page by the entry's name. */
export async function makeApiReference(): Promise<ReadonlyMap<string, string>> {
  const reports = join(root, "apps/docs/.reports");
  mkdirSync(reports, { recursive: true });
  const folder = mkdtempSync(join(reports, "api-"));
  try {
    const entries = apiEntries();
    for (const { name, source, page } of entries) {
      const header = `/** @module ${name} */`;
      writeFileSync(join(folder, `${page}.ts`), `${header}\nexport * from "../../../../${source}";\n`);
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.base.json"), include: ["."] }),
    );
    const options: TypeDocOptions & Partial<PluginOptions> = {
      entryPoints: entries.map(({ page }) => join(folder, `${page}.ts`)),
      tsconfig: join(folder, "tsconfig.json"),
      plugin: ["typedoc-plugin-markdown"],
      // The workspace is type-checked by its own compiler.
      skipErrorChecking: true,
      excludePrivate: true,
      excludeInternal: true,
      excludeExternals: true,
      disableSources: true,
      readme: "none",
      githubPages: false,
      gitRevision: "main",
      logLevel: "Error",
      router: "module",
      entryFileName: "index",
      hidePageHeader: true,
      hideBreadcrumbs: true,
      hidePageTitle: true,
      useCodeBlocks: true,
      expandObjects: true,
      parametersFormat: "table",
      interfacePropertiesFormat: "table",
      typeAliasPropertiesFormat: "table",
      sort: ["source-order"],
      groupOrder: ["Functions", "Classes", "Variables", "Interfaces", "Type Aliases", "*"],
      validation: { notExported: false, invalidLink: false, invalidPath: false, rewrittenLink: false },
    };
    const app = await Application.bootstrapWithPlugins(options);
    const project = await app.convert();
    if (project === undefined) throw new Error("The sources could not be read");
    const output = join(folder, "out");
    await app.outputs.writeOutput({ name: "markdown", path: output }, project);
    if (app.logger.hasErrors()) throw new Error("The reference could not be made; see above");
    return new Map(
      globSync("**/*.md", { cwd: output }).map((file) => [
        file.replace(/\.md$/, ""),
        readFileSync(join(output, file), "utf8"),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
