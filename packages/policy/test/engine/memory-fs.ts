import type { FolderEntry, PolicyFs } from "../../src/paths/fs.ts";
import { rootOf } from "../../src/paths/normalize.ts";

/** A layout by absolute path: `null` a folder, `{ link }` a link, a text a file. Parent folders need not be named. */
export type MemoryLayout = Readonly<Record<string, string | null | { readonly link: string }>>;

export interface MemoryFsOptions {
  readonly foldsCase?: boolean;
}

/** A file system in memory: the layout is all that exists. */
export function createMemoryFs(layout: MemoryLayout, options: MemoryFsOptions = {}): PolicyFs {
  const foldsCase = options.foldsCase === true;
  const key = (path: string): string => (foldsCase ? path.toLowerCase() : path);
  const nodes = new Map<string, { readonly path: string; readonly value: MemoryLayout[string] }>();
  for (const [path, value] of Object.entries(layout)) {
    const top = rootOf(path);
    const parts = path
      .slice(top.length)
      .split("/")
      .filter((part) => part !== "");
    nodes.set(key(top), { path: top, value: null });
    for (let count = 1; count < parts.length; count += 1) {
      const folder = top + parts.slice(0, count).join("/");
      if (!nodes.has(key(folder))) nodes.set(key(folder), { path: folder, value: null });
    }
    const full = top + parts.join("/");
    nodes.set(key(full), { path: full, value });
  }

  const realpath = (path: string, links: number): string | undefined => {
    const top = rootOf(path);
    let at = top;
    const parts = path
      .slice(top.length)
      .split("/")
      .filter((part) => part !== "" && part !== ".");
    for (const [index, part] of parts.entries()) {
      if (part === "..") {
        at = parentOf(at);
        continue;
      }
      const node = nodes.get(key(at.endsWith("/") ? at + part : `${at}/${part}`));
      if (node === undefined) return undefined;
      if (typeof node.value === "object" && node.value !== null) {
        if (links <= 0) return undefined;
        const { link } = node.value;
        const target = link.startsWith("/") || /^[A-Za-z]:\//.test(link) ? link : `${at}/${link}`;
        return realpath([target, ...parts.slice(index + 1)].join("/"), links - 1);
      }
      at = node.path;
    }
    return nodes.has(key(at)) ? at : undefined;
  };

  return {
    realpath: (path) => realpath(path, 40),
    readlink(path) {
      const value = nodes.get(key(path))?.value;
      return typeof value === "object" && value !== null ? value.link : undefined;
    },
    list(path) {
      const folder = realpath(path, 40);
      if (folder === undefined || nodes.get(key(folder))?.value !== null) return undefined;
      const prefix = folder.endsWith("/") ? folder : `${folder}/`;
      const entries: FolderEntry[] = [];
      for (const { path: other, value } of nodes.values()) {
        if (other.length <= prefix.length || !other.startsWith(prefix) || other.includes("/", prefix.length))
          continue;
        entries.push({
          name: other.slice(prefix.length),
          kind: value === null ? "folder" : typeof value === "string" ? "file" : "link",
        });
      }
      return entries;
    },
    foldsCase: () => foldsCase,
  };
}

function parentOf(path: string): string {
  const top = rootOf(path);
  const at = path.lastIndexOf("/");
  return at < top.length ? top : path.slice(0, at);
}
