import type { Care } from "../rules/call-filter.ts";
import type { ResourceAction, ResourceFact } from "../subject.ts";
import { expandBraces } from "./braces.ts";
import { isInside, resolveDots } from "./normalize.ts";
import { foldedPath, type FoldedPath } from "./pattern.ts";
import {
  compileName,
  expandGlob,
  isGlob,
  listTree,
  MAX_TREE_ENTRIES,
  sampleGlob,
  splitGlob,
} from "./reach.ts";
import type { KnownTree, PathResolver, ResolvedPath } from "./resolve.ts";

/** A path resource, with all that it may touch. Made once and asked by every rule. */
export interface PathSubject {
  readonly resolver: PathResolver;
  readonly action: ResourceAction;
  /** `undefined`: nobody knows before it runs. */
  readonly resolved: ResolvedPath | undefined;
  readonly extent: "exact" | "glob" | "tree" | "within";
  /** The glob as written, absolute as far as its folder is known. */
  readonly glob: string | undefined;
  /** Paths that are surely meant: the path itself, or what a glob would match, and does where that is a folder's worth. */
  readonly named: readonly ResolvedPath[];
  /** For a glob: everything that exists is among the identities. */
  complete(): boolean;
  /** A relative path whose folder is not known: its own words, for rules about names at any depth. */
  readonly floating: FoldedPath | undefined;
  /** For a tree: what is below it on disk. */
  tree(): readonly FoldedPath[];
  treeComplete(): boolean;
  /** Links in the tree are followed: what is below it may lead anywhere. */
  readonly follow: boolean;
  /** Of what is below it only the names are told. */
  readonly tellsNames: boolean;
  /** Some link that is followed leads out of the tree. */
  leadsElsewhere(): boolean;
  /** The named paths' identities as a rule of this care compares them. */
  identities(care: Care): readonly FoldedPath[];
  /** Loose identities without what only a search of a whole tree finds. */
  surface(): readonly FoldedPath[];
  isOutside(): boolean;
  /** A device that keeps and tells nothing, such as `/dev/null`. */
  readonly harmless: boolean;
}

/** Devices that keep and tell nothing of anybody's. */
const devices = /^\/dev\/(null|zero|full|stdin|stdout|stderr|tty|fd\/\d+|random|urandom)$/;

export function pathSubject(
  resolver: PathResolver,
  fact: ResourceFact,
  fallbackBase: string,
  options: { readonly hidden?: boolean } = {},
): PathSubject {
  const base = fact.base ?? (fact.value !== undefined && isAnchored(fact.value) ? fallbackBase : undefined);
  const known = fact.value !== undefined && base !== undefined;
  // A tree can be named by a glob too: each match is one.
  const isGlobbed = known && (fact.extent === "glob" || fact.extent === "tree") && isGlob(fact.value);
  const globbed = isGlobbed
    ? globPaths(resolver, fact.value, base, options.hidden !== false || fact.value.includes("**"))
    : undefined;
  // A glob that is too much to write out is the tree that it stands in.
  const everything = isGlobbed && globbed === undefined;
  const extent = everything ? "tree" : (fact.extent ?? "exact");
  const place = everything ? splitGlob(fact.value).folder : fact.value;
  const resolved =
    globbed === undefined && place !== undefined && base !== undefined
      ? resolver.resolve(place, base)
      : globbed?.folder;
  // A reader's glob over a whole tree is looked up only for rules that a person wrote: it costs as much as the search.
  const deep = globbed !== undefined && fact.action === "read" && fact.value?.includes("**") === true;
  const surface = globbed?.samples ?? (resolved === undefined ? [] : [resolved]);
  let expanded: Expansion | undefined;
  const expand = (): Expansion => (expanded ??= globbed?.expand() ?? { paths: [], complete: true });
  const named = deep ? surface : [...surface, ...expand().paths];
  let shallow: readonly FoldedPath[] | undefined;
  let loose: readonly FoldedPath[] | undefined;
  let strict: readonly FoldedPath[] | undefined;
  let outside: boolean | undefined;
  const fold = (paths: readonly ResolvedPath[], care: Care): readonly FoldedPath[] => {
    const names = [...paths.flatMap(({ identities }) => identities), ...twins];
    const texts = new Set(names.map((name) => resolver.fold(name, care)));
    return [...texts].map(foldedPath);
  };
  const twins = fact.action === "write" ? named.flatMap(({ real }) => resolver.twinsOf(real)) : [];
  const all = (): readonly ResolvedPath[] => (deep ? [...surface, ...expand().paths] : named);
  const follow = fact.follow === true && extent === "tree";
  let listed: KnownTree | undefined;
  const reach = (): KnownTree =>
    (listed ??= listTrees(
      resolver,
      globbed === undefined ? named : expand().paths,
      expand().complete,
      follow,
    ));
  const leadsOutside = (): boolean =>
    follow &&
    reach().targets.some((target) => {
      const path = resolver.resolve(target, fallbackBase);
      return path === undefined || resolver.isOutside(path);
    });
  return {
    resolver,
    action: fact.action,
    resolved,
    extent,
    glob: globbed === undefined ? undefined : `${base ?? ""}/${fact.value ?? ""}`,
    named,
    complete: () => globbed === undefined || (globbed.whole && expand().complete),
    floating:
      fact.value === undefined || resolved !== undefined
        ? undefined
        : foldedPath(
            resolver.fold(
              resolveDots(
                `/${fact.value.replaceAll("\\", resolver.world.platform === "win32" ? "/" : "\\")}`,
              ),
              "loose",
            ),
          ),
    tree: () => reach().paths,
    treeComplete: () => reach().complete,
    follow,
    tellsNames: fact.names === true,
    leadsElsewhere: () =>
      follow && reach().targets.some((target) => !named.some(({ real }) => isInside(target, real))),
    surface: () => (deep ? (shallow ??= fold(surface, "loose")) : (loose ??= fold(named, "loose"))),
    identities(care) {
      if (care === "loose") return (loose ??= fold(all(), "loose"));
      return (strict ??= fold(all(), "strict"));
    },
    isOutside: () =>
      (outside ??=
        (resolved !== undefined && resolver.isOutside(resolved)) ||
        named.some((path) => resolver.isOutside(path)) ||
        leadsOutside()),
    harmless:
      resolved !== undefined &&
      extent === "exact" &&
      resolver.world.platform !== "win32" &&
      devices.test(resolved.path) &&
      fact.action !== "delete",
  };
}

/** What is below several folders; together they have the bound of one. */
function listTrees(
  resolver: PathResolver,
  tops: readonly ResolvedPath[],
  known: boolean,
  follow: boolean,
): KnownTree {
  const [only, ...others] = tops;
  if (only !== undefined && others.length === 0) {
    const tree = knownTree(resolver, only.real, MAX_TREE_ENTRIES, follow);
    return { ...tree, complete: known && tree.complete };
  }
  const paths: FoldedPath[] = [];
  const targets: string[] = [];
  let complete = known && tops.length > 0;
  for (const { real } of tops) {
    const found = knownTree(resolver, real, MAX_TREE_ENTRIES - paths.length, follow);
    for (const path of found.paths) paths.push(path);
    targets.push(...found.targets);
    complete &&= found.complete;
  }
  return { paths, targets, complete };
}

/** One tree, looked at once a decision. */
function knownTree(resolver: PathResolver, top: string, maxEntries: number, follow: boolean): KnownTree {
  const key = follow ? `${top}\0followed` : top;
  const known = resolver.trees.get(key);
  if (known !== undefined) return known;
  const found = listTree(resolver.fs, top, maxEntries, resolver.budget, follow);
  const tree = {
    paths: found.paths.map((path) => foldedPath(resolver.fold(path, "loose"))),
    targets: found.targets,
    complete: found.complete,
  };
  resolver.trees.set(key, tree);
  return tree;
}

/** Whether an absolute or home path, which no folder changes. */
function isAnchored(value: string): boolean {
  return /^([/~]|[A-Za-z]:|\\\\)/.test(value);
}

/** What a glob matches on disk, and whether that is all. */
interface Expansion {
  readonly paths: readonly ResolvedPath[];
  readonly complete: boolean;
}

interface GlobPaths {
  readonly folder: ResolvedPath | undefined;
  /** What it would match if it were there. */
  readonly samples: readonly ResolvedPath[];
  /** No sample was lost. */
  readonly whole: boolean;
  readonly expand: () => Expansion;
}

/** What a glob names. One with more alternatives than are written out may name anything below its folder. */
function globPaths(
  resolver: PathResolver,
  value: string,
  base: string,
  hidden: boolean,
): GlobPaths | undefined {
  const slashed = resolver.world.platform === "win32" ? value.replaceAll("\\", "/") : value;
  const alternatives = expandBraces(slashed);
  if (alternatives === undefined) return undefined;
  const parts = alternatives.map((one) => globPath(resolver, one, base, hidden));
  return {
    folder:
      parts
        .map(({ folder }) => folder)
        .find((folder) => folder !== undefined && resolver.isOutside(folder)) ?? parts[0]?.folder,
    samples: parts.flatMap(({ samples }) => samples),
    whole: parts.every(({ whole }) => whole),
    expand: () => {
      const expansions = parts.map(({ expand }) => expand());
      return {
        paths: expansions.flatMap(({ paths }) => paths),
        complete: expansions.every(({ complete }) => complete),
      };
    },
  };
}

function globPath(resolver: PathResolver, value: string, base: string, hidden: boolean): GlobPaths {
  const { folder, rest } = splitGlob(value);
  const start = resolver.resolve(folder, base);
  const samples = sampleGlob(value).map((sample) => resolver.resolve(sample, base));
  const known = samples.filter((path) => path !== undefined);
  return {
    folder: start,
    samples: known,
    whole: known.length === samples.length,
    expand() {
      if (start === undefined) return { paths: [], complete: false };
      const found = expandGlob(resolver.fs, start.real, rest, hidden, resolver.budget);
      // What was listed in a real folder and is no link need not be looked up again.
      const matches = found.matches.map(({ path, plain }) =>
        plain ? { path, real: path, identities: [path] } : resolver.resolve(path, base),
      );
      const paths = matches.filter((path) => path !== undefined);
      const listed = rest.length === 0 || resolver.fs.list(start.real) !== undefined;
      return { paths, complete: found.complete && listed && paths.length === matches.length };
    },
  };
}

/** Whether a glob may match a path, by its words: for what the file system does not show. */
export function globMayMatch(glob: string, path: FoldedPath): boolean {
  const wanted = glob
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const last = wanted.findLast((part) => part !== "**");
  if (last === undefined) return true;
  const test = compileName(last);
  // Below `x/**` anything may be meant, so one folder of that name is enough.
  if (wanted.at(-1) === "**") return path.parts.some(test);
  const name = path.parts.at(-1);
  // Folders are not compared: `..` and links make them uncertain, and this is only asked to be careful.
  return name !== undefined && test(name);
}
