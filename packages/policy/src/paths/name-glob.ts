import picomatch from "picomatch";

/**
 * A test of one file name against one component of a glob: `*`, `?` and sets, in which the shells' own spelling of
 * "none of these", `[!a]`, means the same as `[^a]`. All else stands for itself; braces were written out before.
 * Throws on a pattern that cannot be compiled.
 */
export function nameGlob(name: string): (entry: string) => boolean {
  const pattern = name.replace(/\\.|\[!(?=[^\]]*\])|[(){}|+@]/gs, (part) => {
    if (part === "[!") return "[^";
    return part.length === 1 ? `\\${part}` : part;
  });
  const expression = picomatch.makeRe(pattern, {
    dot: true,
    noextglob: true,
    nonegate: true,
    nobrace: true,
    noglobstar: true,
    posix: true,
    windows: false,
  });
  return (entry) => expression.test(entry);
}
