/** What a source file imports, as it is written. Only static imports, found by form and not by parsing. */
export interface ImportWords {
  /** `./a.js`, `../b`: relative to the file. */
  readonly relative: readonly string[];
  /** `pkg.module`, with leading dots for a relative one; names that may be modules as well. */
  readonly python: readonly string[];
  /** Import paths of Go packages. */
  readonly go: readonly string[];
  /** Modules of the same crate: `a::b`. */
  readonly rust: readonly string[];
}

const maxImports = 500;
const script = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}\/[^"'\n]{1,300}|\.{1,2})["']/g;
const pythonFrom = /^[ \t]*from[ \t]+(\.{0,8}[\w.]{0,200})[ \t]+import[ \t]+\(?([\w, \t*]{1,500})/gm;
const pythonImport = /^[ \t]*import[ \t]+([\w.]{1,200}(?:[ \t]*,[ \t]*[\w.]{1,200}){0,50})/gm;
const goImport = /^[ \t]*(?:import[ \t]+)?(?:[\w.]{1,60}[ \t]+)?"([\w./-]{1,300})"/gm;
const rustUse =
  /\b(?:use[ \t]+crate::|crate::)([\w:]{1,200})|^[ \t]*(?:pub(?:\([\w: ]{1,40}\))?[ \t]+)?mod[ \t]+(\w{1,100})[ \t]*;/gm;

export function importWords(path: string, source: string): ImportWords {
  const none: ImportWords = { relative: [], python: [], go: [], rust: [] };
  const first = (pattern: RegExp): string[] =>
    [...source.matchAll(pattern)].slice(0, maxImports).flatMap((match) => match[1] ?? match[2] ?? []);
  if (/\.(?:[cm]?[jt]sx?|vue|svelte)$/.test(path)) return { ...none, relative: first(script) };
  if (path.endsWith(".py")) {
    const from = [...source.matchAll(pythonFrom)]
      .slice(0, maxImports)
      .flatMap(([, module = "", names = ""]) => {
        const stem = module === "" || module.endsWith(".") ? module : `${module}.`;
        const members = names
          .split(",")
          .map((name) => name.trim().split(/\s/)[0] ?? "")
          .filter((name) => /^\w+$/.test(name));
        return [module, ...members.map((name) => stem + name)];
      });
    const plain = first(pythonImport).flatMap((names) => names.split(",").map((name) => name.trim()));
    return { ...none, python: [...from, ...plain].filter((name) => /\w/.test(name)) };
  }
  if (path.endsWith(".go")) return { ...none, go: first(goImport) };
  if (path.endsWith(".rs")) return { ...none, rust: first(rustUse) };
  return none;
}
