import { glob } from "node:fs/promises";
import { join, sep } from "node:path";

import { limits } from "../../limits.ts";
import type { ParsedFailure } from "../../reports/report.ts";
import { readTextFile } from "../files.ts";

/** Between the parts of a title. */
const separator = " › ";

interface TestFile {
  readonly path: string;
  readonly source: string;
  /** As ava writes the path into a title: folders and the bare name. */
  readonly parts: readonly string[];
}

/**
 * The failures with file and line of their tests. ava's TAP says neither: for an assertion it names a place in ava, and
 * the file stands in the title, shortened, where there are several. Found in the sources, by title.
 */
export async function locateAvaTests(
  folder: string,
  failures: readonly ParsedFailure[],
): Promise<readonly ParsedFailure[]> {
  if (!failures.some(isForeign)) return failures;
  const files = await testFiles(folder);
  return failures.map((failure) => (isForeign(failure) ? located(failure, files, folder) : failure));
}

function isForeign({ file }: ParsedFailure): boolean {
  return file === undefined || file.split(/[\\/]/).includes("node_modules");
}

function located(failure: ParsedFailure, files: readonly TestFile[], folder: string): ParsedFailure {
  const words = failure.name.split(separator);
  const [only, ...more] = files;
  const matches = files
    .map((file) => ({ file, length: prefixLength(file.parts, words) }))
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.length - a.length);
  const [best, next] = matches;
  const title = words.slice(best?.length ?? 0).join(separator);
  const { line: _line, column: _column, file: _file, ...rest } = failure;
  const found =
    best !== undefined && best.length !== next?.length
      ? best.file
      : more.length === 0
        ? only
        : theOnly(files.filter(({ source }) => placesOf(source, title).length > 0));
  if (found === undefined) return rest;
  const place = theOnly(placesOf(found.source, title));
  return {
    ...rest,
    file: join(folder, found.path),
    ...(place === undefined ? {} : { line: found.source.slice(0, place).split("\n").length }),
  };
}

function theOnly<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** How many words of a title are the end of a path: the folders that all files share are left out of it. */
function prefixLength(parts: readonly string[], words: readonly string[]): number {
  for (let length = Math.min(parts.length, words.length - 1); length > 0; length -= 1) {
    if (parts.slice(-length).join(separator) === words.slice(0, length).join(separator)) return length;
  }
  return 0;
}

/** Where a title stands in quotes: two places at most, which is one too many. */
function placesOf(source: string, title: string): readonly number[] {
  return ['"', "'", "`"]
    .flatMap((quote) => {
      const quoted = `${quote}${title}${quote}`;
      const first = source.indexOf(quoted);
      return first === -1 ? [] : [first, source.indexOf(quoted, first + 1)];
    })
    .filter((at) => at !== -1)
    .slice(0, 2);
}

/** The files that load ava, as many as one result would list files of. */
async function testFiles(folder: string): Promise<readonly TestFile[]> {
  const files: TestFile[] = [];
  let seen = 0;
  const paths = glob("**/*.{js,cjs,mjs,jsx,ts,cts,mts,tsx}", {
    cwd: folder,
    exclude: (name) => /(?:^|[\\/])(?:node_modules|\.[^\\/.][^\\/]*)$/.test(name),
  });
  for await (const path of paths) {
    if (files.length >= limits.failures || (seen += 1) > limits.avaFiles) break;
    const source = await readTextFile(join(folder, path), limits.sourceBytes);
    if (source === undefined || !/["']ava["']/.test(source)) continue;
    files.push({ path, source, parts: partsOf(path) });
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function partsOf(path: string): readonly string[] {
  const parts = path.split(sep).filter((part) => part !== "__tests__");
  const name = (parts.pop() ?? "")
    .replace(/\.(?:spec|test)\./, ".")
    .replace("test-", "")
    .replace(/\.\w+$/, "");
  return [...parts, name];
}
