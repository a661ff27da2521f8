import type { Care } from "../rules/call-filter.ts";
import { foldLoosely, foldStrictly } from "./fold.ts";
import type { PolicyFs } from "./fs.ts";
import type { FoldedPath } from "./pattern.ts";
import { MAX_DECISION_ENTRIES, type ReachBudget } from "./reach.ts";
import { absolutePath, isInside, type PathWorld, resolveDots, rootOf } from "./normalize.ts";
import { createTwins } from "./twins.ts";

/** Most links that are followed for one path. */
const MAX_LINKS = 40;
/** Most components of a path. */
const MAX_COMPONENTS = 256;

/** One path of a call, with every name it is known by. */
export interface ResolvedPath {
  /** As the words say, absolute. */
  readonly path: string;
  /** The file itself, every link followed; for a file that does not exist yet, below its nearest real ancestor. */
  readonly real: string;
  /** All distinct identities: as written, the entry in its real folder, and where it leads. A deny looks at any. */
  readonly identities: readonly string[];
  /** Why the words may mean something else. */
  readonly doubt?: string;
}

/** A tree as it was found, with its paths as loose rules compare them. */
export interface KnownTree {
  readonly paths: readonly FoldedPath[];
  readonly complete: boolean;
  /** Where the links in it lead, real, as far as they were followed. */
  readonly targets: readonly string[];
}

/** Resolves the paths of one decision and remembers them: one answer per path, whatever changes meanwhile. */
export interface PathResolver {
  resolve(value: string, base: string): ResolvedPath | undefined;
  /** The same for every resolver whose patterns mean the same. */
  readonly scopeKey: string;
  readonly fs: PolicyFs;
  /** What this decision may still look at, and the trees that it has looked at, by their real top. */
  readonly budget: ReachBudget;
  readonly trees: Map<string, KnownTree>;
  readonly world: PathWorld;
  /** The project's folder, as written and real. */
  readonly roots: readonly string[];
  /** The home, as written and real. */
  readonly homes: readonly string[];
  /** A path as a rule of this care compares it. */
  fold(path: string, care: Care): string;
  isOutside(path: ResolvedPath): boolean;
  /** Guarded files that a real path is a hard link to. */
  twinsOf(real: string): readonly string[];
}

/** @param guarded absolute paths of files, and of folders of files, that no other name may reach. */
export function createResolver(
  fs: PolicyFs,
  world: PathWorld,
  root: string,
  guarded: readonly string[] = [],
): PathResolver {
  const real = new Map<string, string | undefined>();
  const known = new Map<string, ResolvedPath | undefined>();

  const follow = (path: string, links: number): string | undefined => {
    if (real.has(path)) return real.get(path);
    const found = walk(path, links);
    real.set(path, found);
    return found;
  };

  // The nearest existing ancestor decides: what is below it does not exist yet, or is a link that leads nowhere yet.
  const walk = (path: string, links: number): string | undefined => {
    const direct = fs.realpath(path);
    if (direct !== undefined) return clean(direct, world);
    const top = rootOf(path);
    const parts = path
      .slice(top.length)
      .split("/")
      .filter((part) => part !== "" && part !== ".");
    const last = parts.pop();
    if (last === undefined) return top;
    if (parts.length > MAX_COMPONENTS) return undefined;
    const folder = follow(top + parts.join("/"), links);
    if (folder === undefined) return undefined;
    if (last === "..") return resolveDots(`${folder}/..`);
    const entry = join(folder, last);
    const target = fs.readlink(entry);
    if (target === undefined) return entry;
    if (links <= 0) return undefined;
    return follow(absolutePath(target, folder, world)?.walked ?? entry, links - 1);
  };

  const entryOf = (path: string): string | undefined => {
    const top = rootOf(path);
    const at = path.lastIndexOf("/");
    const name = path.slice(at + 1);
    if (name === "" || path.length <= top.length) return path;
    const folder = follow(at < top.length ? top : path.slice(0, at), MAX_LINKS);
    return folder === undefined ? undefined : join(folder, name);
  };

  const resolve = (value: string, base: string): ResolvedPath | undefined => {
    const lexical = absolutePath(value, base, world);
    if (lexical === undefined) return undefined;
    const target = follow(lexical.path, MAX_LINKS);
    if (target === undefined) return undefined;
    const identities = new Set([lexical.path, target]);
    // Where the path is its own real path, no link stands in it.
    const entry = target === lexical.path ? undefined : entryOf(lexical.path);
    if (entry !== undefined) identities.add(entry);
    // `link/../x` is not where the words say: the system follows the link before it goes up.
    if (/(^|\/)\.\.(\/|$)/.test(lexical.walked) && lexical.walked !== lexical.path) {
      const walked = follow(lexical.walked.replace(/\/+$/, ""), MAX_LINKS);
      if (walked === undefined) return undefined;
      identities.add(walked);
    }
    for (const other of lexical.also) {
      identities.add(other);
      identities.add(follow(other, MAX_LINKS) ?? other);
    }
    return {
      path: lexical.path,
      real: target,
      identities: [...identities],
      ...(lexical.doubt === undefined ? {} : { doubt: lexical.doubt }),
    };
  };

  const lexicalRoot = absolutePath(root, root, world)?.path ?? "/";
  const realRoot = follow(lexicalRoot, MAX_LINKS) ?? lexicalRoot;
  const roots = [...new Set([lexicalRoot, realRoot])];
  const home = absolutePath(world.home, world.home, world)?.path ?? world.home;
  const homes = [...new Set([home, follow(home, MAX_LINKS) ?? home])];
  // One answer for the project's volume: asking for every path would cost more than it tells.
  const volume = {
    foldsCase: world.platform === "win32" || fs.foldsCase(realRoot),
    foldsUnicode: world.platform === "darwin",
  };
  const form = (path: string): string => foldStrictly(path, volume);
  const foldedRoots = roots.map(form);

  const places = [...roots.map((folder) => `${folder}/.pi`), ...homes.map((folder) => `${folder}/.pi/agent`)];
  const twinsOf = createTwins(fs, [...guarded, ...places.flatMap((place) => [place, `${place}/extensions`])]);

  return {
    twinsOf,
    scopeKey: `${volume.foldsCase ? "folded" : "exact"}\0${[...roots, "", ...homes].join("\0")}`,
    fs,
    budget: { entries: MAX_DECISION_ENTRIES },
    trees: new Map(),
    world,
    roots,
    homes,
    fold: (path, care) => (care === "loose" ? foldLoosely(path) : form(path)),
    resolve(value, base) {
      const key = `${base}\0${value}`;
      if (known.has(key)) return known.get(key);
      const found = resolve(value, base);
      known.set(key, found);
      return found;
    },
    isOutside: (path) =>
      path.identities.some((identity) => !foldedRoots.some((folder) => isInside(form(identity), folder))),
  };
}

/** A path of the file system in the one spelling that is compared. */
function clean(path: string, world: PathWorld): string {
  return world.platform === "win32" ? (absolutePath(path, path, world)?.path ?? path) : path;
}

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
