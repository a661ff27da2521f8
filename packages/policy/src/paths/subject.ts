import type { Care } from "../rules/call-filter.ts";
import type { ResourceAction, ResourceFact } from "../subject.ts";
import { expandBraces } from "./braces.ts";
import { resolveDots } from "./normalize.ts";
import { foldedPath, type FoldedPath } from "./pattern.ts";
import { compileName, expandGlob, isGlob, listTree, type Reach, sampleGlob, splitGlob } from "./reach.ts";
import type { PathResolver, ResolvedPath } from "./resolve.ts";

/** A path resource, with all that it may touch. Made once and asked by every rule. */
export interface PathSubject {
  readonly resolver: PathResolver;
  readonly action: ResourceAction;
  /** `undefined`: nobody knows before it runs. */
  readonly resolved: ResolvedPath | undefined;
  readonly extent: "exact" | "glob" | "tree";
  /** The glob as written, absolute as far as its folder is known. */
  readonly glob: string | undefined;
  /** Every single path that is surely meant: the path itself, or what a glob expands to and would expand to. */
  readonly named: readonly ResolvedPath[];
  /** For a glob: `named` holds everything that exists. */
  readonly complete: boolean;
  /** A relative path whose folder is not known: its own words, for rules about names at any depth. */
  readonly floating: FoldedPath | undefined;
  /** For a tree: what is below it on disk. */
  tree(): readonly FoldedPath[];
  treeComplete(): boolean;
  /** The named paths' identities as a rule of this care compares them. */
  identities(care: Care): readonly FoldedPath[];
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
  const isGlobbed = known && fact.extent === "glob" && isGlob(fact.value);
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
  const named = globbed?.named ?? (resolved === undefined ? [] : [resolved]);
  let loose: readonly FoldedPath[] | undefined;
  let strict: readonly FoldedPath[] | undefined;
  let outside: boolean | undefined;
  const fold = (care: Care): readonly FoldedPath[] => {
    const texts = new Set(
      named.flatMap((path) => path.identities.map((identity) => resolver.fold(identity, care))),
    );
    return [...texts].map(foldedPath);
  };
  let listed: Reach | undefined;
  let folded: readonly FoldedPath[] | undefined;
  const reach = (): Reach =>
    (listed ??=
      resolved === undefined ? { paths: [], complete: false } : listTree(resolver.fs, resolved.real));
  return {
    resolver,
    action: fact.action,
    resolved,
    extent,
    glob: globbed === undefined ? undefined : `${base ?? ""}/${fact.value ?? ""}`,
    named,
    complete: globbed?.complete ?? true,
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
    tree: () => (folded ??= reach().paths.map((path) => foldedPath(resolver.fold(path, "loose")))),
    treeComplete: () => reach().complete,
    identities(care) {
      if (care === "loose") return (loose ??= fold("loose"));
      return (strict ??= fold("strict"));
    },
    isOutside: () =>
      (outside ??=
        (resolved !== undefined && resolver.isOutside(resolved)) ||
        named.some((path) => resolver.isOutside(path))),
    harmless:
      resolved !== undefined &&
      extent === "exact" &&
      resolver.world.platform !== "win32" &&
      devices.test(resolved.path) &&
      fact.action !== "delete",
  };
}

/** Whether an absolute or home path, which no folder changes. */
function isAnchored(value: string): boolean {
  return /^([/~]|[A-Za-z]:|\\\\)/.test(value);
}

interface GlobPaths {
  readonly folder: ResolvedPath | undefined;
  readonly named: readonly ResolvedPath[];
  readonly complete: boolean;
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
    // A folder above all alternatives would be no use; each has its own among the named.
    folder:
      parts
        .map(({ folder }) => folder)
        .find((folder) => folder !== undefined && resolver.isOutside(folder)) ?? parts[0]?.folder,
    named: parts.flatMap(({ named }) => named),
    complete: parts.every(({ complete }) => complete),
  };
}

function globPath(resolver: PathResolver, value: string, base: string, hidden: boolean): GlobPaths {
  const { folder, rest } = splitGlob(value);
  const start = resolver.resolve(folder, base);
  const samples = sampleGlob(value).map((sample) => resolver.resolve(sample, base));
  const found =
    start === undefined ? { paths: [], complete: false } : expandGlob(resolver.fs, start.real, rest, hidden);
  const expansions = found.paths.map((path) => resolver.resolve(path, base));
  const all = [...samples, ...expansions];
  const named = all.filter((path) => path !== undefined);
  const listed = rest.length === 0 || (start !== undefined && resolver.fs.list(start.real) !== undefined);
  return { folder: start, named, complete: found.complete && listed && named.length === all.length };
}

/** Whether a glob may match a path, by its words: for what the file system does not show. */
export function globMayMatch(glob: string, path: FoldedPath): boolean {
  const wanted = glob
    .toLowerCase()
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const last = wanted.at(-1);
  const name = path.parts.at(-1);
  // Folders are not compared: `..` and links make them uncertain, and this is only asked to be careful.
  return last !== undefined && name !== undefined && (last === "**" || compileName(last)(name));
}
