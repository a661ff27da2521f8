import type { Care } from "../rules/call-filter.ts";
import { expandBraces, MAX_ALTERNATIVES } from "./braces.ts";
import { nameGlob } from "./name-glob.ts";
import { absolutePath, type PathWorld, resolveDots, rootOf } from "./normalize.ts";

/** Longest glob of a rule, in characters. */
export const MAX_GLOB_CHARS = 1_000;
/** Most stars in one component of a glob: more could make the matcher slow. */
const MAX_STARS = 8;

/** How a path stands to a pattern: it is meant, something below it may be, or neither. */
export type PatternHit = "covered" | "below" | "none";

/** A path, folded for one kind of care, and taken apart once for all patterns. */
export interface FoldedPath {
  readonly text: string;
  readonly root: string;
  readonly parts: readonly string[];
}

/** A glob, ready to be asked. */
export interface PathPattern {
  /** Where a path stands that was folded with the pattern's own care. */
  hit(path: FoldedPath): PatternHit;
  /** The part before the first wildcard, absolute, as the file system spells it; `undefined` when the pattern may match anywhere. */
  readonly base: string | undefined;
  /** Nothing but the base: the pattern names one path. */
  readonly literal: boolean;
  /** It ends in `**`: what it covers, it covers with all that is below. */
  readonly whole: boolean;
}

export interface PatternOptions {
  /** The project's folder under each of its names; a relative pattern holds below every one. */
  readonly roots: readonly string[];
  /** The home under each of its names. */
  readonly homes: readonly string[];
  readonly world: PathWorld;
  readonly care: Care;
  readonly fold: (path: string) => string;
}

type Segment =
  | { readonly kind: "any" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "glob"; readonly test: (name: string) => boolean };

/** What is wrong with a glob, or nothing. */
export function globProblem(glob: string): string | undefined {
  if (glob.length > MAX_GLOB_CHARS) return `the pattern is longer than ${MAX_GLOB_CHARS} characters`;
  if (glob.startsWith("!")) return "a pattern cannot be negated; write an except instead";
  const all = expandBraces(glob);
  if (all === undefined) return `the braces stand for more than ${MAX_ALTERNATIVES} patterns`;
  const crowded = all.some((pattern) =>
    pattern.split("/").some((name) => (name.match(/[*?]/g) ?? []).length > MAX_STARS && name !== "**"),
  );
  if (crowded) return `more than ${MAX_STARS} wildcards in one name`;
  if (all.some((pattern) => pattern.split("/").length > MAX_SEGMENTS - 10))
    return "the pattern has too many folders";
  if (glob.startsWith("~") && !/^~($|[/\\])/.test(glob)) return "only ~/ is known, not another user's home";
  return undefined;
}

/** Compiles one glob of a rule into the patterns that it stands for. */
export function compileGlob(glob: string, options: PatternOptions): readonly PathPattern[] {
  return (expandBraces(glob) ?? []).flatMap((pattern) =>
    anchors(pattern, options).map((anchored) => compileAnchored(anchored, options)),
  );
}

/** A pattern's absolute forms; `**` at the front stands for any folder. */
function anchors(pattern: string, { roots, homes, world, care }: PatternOptions): readonly string[] {
  const slashed = world.platform === "win32" ? pattern.replaceAll("\\", "/") : pattern;
  if (slashed === "~" || slashed.startsWith("~/"))
    return homes.map((home) => glueLiteral(home, slashed.slice(2)));
  if (slashed.startsWith("/") || (world.platform === "win32" && /^[A-Za-z]:\//.test(slashed)))
    return [slashed];
  const named = slashed.replace(/\/+$/, "");
  const anyDepth = !named.includes("/") && named !== "." && named !== "..";
  if (anyDepth || slashed.startsWith("**/")) {
    const rest = anyDepth && named !== "**" ? `**/${named}` : slashed;
    // A deny binds the name wherever it is; an allow means the project.
    return care === "loose" ? [`/${rest}`] : roots.map((root) => glueLiteral(root, rest));
  }
  return roots.map((root) => glueLiteral(root, slashed));
}

// The folder's own name is no pattern, whatever characters it holds.
function glueLiteral(folder: string, rest: string): string {
  return `${folder.replace(/[*?[\]\\]/g, "\\$&")}/${rest}`;
}

function compileAnchored(pattern: string, options: PatternOptions): PathPattern {
  const { world, care, fold } = options;
  const written = normalizePattern(pattern, world);
  const plain = fold(written);
  const top = plain.startsWith("/**") ? "/" : rootOf(plain);
  const segments = segmentsOf(plain, top);
  const anywhere = segments[0]?.kind === "any" && top === "/";
  const names = leadingNames(segments);
  const literal = names.length === segments.length;
  const prefix = top + names.join("/");
  const base = anywhere
    ? undefined
    : rootOf(written) + leadingNames(segmentsOf(written, rootOf(written))).join("/");
  // What ends in `/**` or a wildcard is exact enough; a plain name covers what is below it when it denies.
  const covers = care === "loose";
  // A name at any depth, the most usual pattern, needs no walk.
  const last = anywhere && segments.length === 2 && segments[1]?.kind !== "any" ? segments[1] : undefined;
  const hit = ({ text, root, parts }: FoldedPath): PatternHit => {
    if (last !== undefined) return hitName(last, parts, covers);
    if (anywhere) return matchSegments(segments, parts, covers);
    // The common miss, decided without walking the path.
    if (!text.startsWith(prefix))
      return prefix.startsWith(text.endsWith("/") ? text : `${text}/`) ? "below" : "none";
    const next = text.charAt(prefix.length);
    if (next !== "" && next !== "/" && !prefix.endsWith("/")) return "none";
    return root === top ? matchSegments(segments, parts, covers) : "none";
  };
  return { hit, base, literal, whole: segments.at(-1)?.kind === "any" };
}

function segmentsOf(pattern: string, top: string): readonly Segment[] {
  return pattern
    .slice(top.length)
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .map(compileSegment);
}

function leadingNames(segments: readonly Segment[]): readonly string[] {
  const names: string[] = [];
  for (const segment of segments) {
    if (segment.kind !== "name") break;
    names.push(segment.name);
  }
  return names;
}

function hitName(
  segment: Exclude<Segment, { readonly kind: "any" }>,
  parts: readonly string[],
  covers: boolean,
): PatternHit {
  const first = covers ? 0 : Math.max(0, parts.length - 1);
  for (let at = first; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    if (segment.kind === "name" ? segment.name === part : segment.test(part)) return "covered";
  }
  return "below";
}

/** Takes a folded path apart. */
export function foldedPath(text: string): FoldedPath {
  const root = rootOf(text);
  return {
    text,
    root,
    parts: text
      .slice(root.length)
      .split("/")
      .filter((part) => part !== ""),
  };
}

/** Drive letters and dots of a pattern, in the spelling that paths are compared in. */
function normalizePattern(pattern: string, world: PathWorld): string {
  if (world.platform !== "win32" || pattern.startsWith("/**"))
    return resolveDots(pattern.replace(/^\/{2,}/, world.platform === "win32" ? "//" : "/"));
  return /[*?[\]\\]/.test(pattern)
    ? resolveDots(pattern)
    : (absolutePath(pattern, "C:/", world)?.path ?? pattern);
}

function compileSegment(name: string): Segment {
  if (name === "**") return { kind: "any" };
  if (!/[*?[\]\\]/.test(name)) return { kind: "name", name };
  if (/^(?:[^*?[\]\\]|\\.)*$/s.test(name)) return { kind: "name", name: name.replace(/\\(.)/gs, "$1") };
  return { kind: "glob", test: nameGlob(name) };
}

/** Most components of a glob: positions in it are the bits of one number. */
export const MAX_SEGMENTS = 30;

/** Walks pattern and path side by side: the positions that may be reached are bits, so the work is their product. */
function matchSegments(segments: readonly Segment[], parts: readonly string[], covers: boolean): PatternHit {
  const end = 1 << segments.length;
  let states = closure(segments, 1);
  for (let index = 0; index < parts.length; index += 1) {
    if (covers && index > 0 && (states & end) !== 0) return "covered";
    const part = parts[index] ?? "";
    let next = 0;
    for (let at = 0; at < segments.length; at += 1) {
      if ((states & (1 << at)) === 0) continue;
      const segment = segments[at];
      if (segment === undefined) continue;
      if (segment.kind === "any") next |= 1 << at;
      else if (segment.kind === "name" ? segment.name === part : segment.test(part)) next |= 1 << (at + 1);
    }
    if (next === 0) return "none";
    states = closure(segments, next);
  }
  return (states & end) === 0 ? "below" : "covered";
}

/** `**` may stand for nothing. */
function closure(segments: readonly Segment[], states: number): number {
  let all = states;
  for (let at = 0; at < segments.length; at += 1) {
    if ((all & (1 << at)) !== 0 && segments[at]?.kind === "any") all |= 1 << (at + 1);
  }
  return all;
}
