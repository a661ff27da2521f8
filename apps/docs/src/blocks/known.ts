/** The names that a command of the documentation may say: packages, and scripts of this workspace. */
import { globSync, readFileSync } from "node:fs";

import { root } from "../root.ts";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Known {
  /** Names of the packages that users get. */
  readonly published: ReadonlySet<string>;
  /** Those, and every package that one of this workspace depends on. */
  readonly packages: ReadonlySet<string>;
  /** Scripts by the name of the package; the root's by `""`. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>;
}

export function knownNames(): Known {
  const published = new Set<string>();
  const packages = new Set<string>();
  const scripts = new Map<string, ReadonlySet<string>>();
  for (const file of globSync(["package.json", "{packages,apps,examples}/*/package.json"], { cwd: root })) {
    const manifest = JSON.parse(readFileSync(root + file, "utf8")) as Manifest;
    const top = file === "package.json";
    scripts.set(top ? "" : manifest.name, new Set(Object.keys(manifest.scripts ?? {})));
    if (!top && manifest.private !== true) published.add(manifest.name);
    for (const names of [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies]) {
      for (const name of Object.keys(names ?? {})) packages.add(name);
    }
  }
  return { published, packages: new Set([...packages, ...published]), scripts };
}
