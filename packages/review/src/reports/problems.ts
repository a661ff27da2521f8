/** A place that the output of a compiler or a linter names. */
export interface ParsedProblem {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly severity: "error" | "warning";
  readonly code?: string;
  readonly message: string;
}

const maxLineChars = 2_000;

// src/a.ts(3,7): error TS2322: …            tsc
const tsc = /^(\S[^()\n]*)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$/;
// src/a.ts:3:7 - error TS2322: …            tsc --pretty
const tscPretty = /^(\S[^:\n]*):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$/;
// a.py:3: error: … [code]                   mypy; also gcc, clang, golangci-lint, ruff, staticcheck, vet
const common =
  /^(?:vet: )?((?:[A-Za-z]:[\\/])?[^\s:][^:\n]*\.\w{1,6}):(\d+)(?::(\d+))?:? +(?:(error|warning|note|info|E|W)(?:\[(\S+?)\])?: +)?(.*)$/;
// error[E0308]: …  then   --> src/a.rs:3:7  rustc
const rustHead = /^(error|warning)(?:\[(\w+)\])?: (.*)$/;
const rustPlace = /^\s*--> (\S[^:\n]*):(\d+):(\d+)$/;
// a file's path alone, then   3:7  error  …  rule     eslint
const eslint = /^\s+(\d+):(\d+)\s+(error|warning)\s+(\S.*?)(?:\s{2,}(\S+))?$/;
const eslintFile = /^((?:[A-Za-z]:)?[\\/.\w@][^:*?"<>|\n]*\.\w{1,6})$/;
// × rule: message  then  ╭─[src/a.ts:3:7]   oxlint, biome and others that draw boxes
const boxHead = /^\s*([×⚠x!]) (?:([\w-]+\([\w/@-]+\)): )?(\S.*)$/;
const boxPlace = /^\s*[╭,]-?[─-]?\[(\S[^:\]\n]*):(\d+):(\d+)\]/;

/**
 * The places that an output names, in its order: tsc, eslint, oxlint, mypy, pyright, ruff, go vet, rustc, clippy and
 * everything that writes `file:line:column: message`. Text that is not of one of these forms is left to the reader.
 */
export function parseProblems(output: string): readonly ParsedProblem[] {
  const problems: ParsedProblem[] = [];
  let rust: RegExpExecArray | undefined;
  let box: RegExpExecArray | undefined;
  let file: string | undefined;
  for (const raw of output.split("\n")) {
    const line = raw.length > maxLineChars ? raw.slice(0, maxLineChars) : raw.trimEnd();
    const typed = tsc.exec(line) ?? tscPretty.exec(line);
    if (typed !== null) {
      const [, path = "", row, column, severity, code = "", message = ""] = typed;
      problems.push({
        file: path,
        line: Number(row),
        column: Number(column),
        severity: severityOf(severity),
        code,
        message,
      });
      continue;
    }
    const placed = rustPlace.exec(line);
    if (placed !== null && rust !== undefined) {
      const [, severity, code, message = ""] = rust;
      problems.push({
        ...at(placed),
        severity: severityOf(severity),
        ...(code === undefined ? {} : { code }),
        message,
      });
      rust = undefined;
      continue;
    }
    const boxed = boxPlace.exec(line);
    if (boxed !== null && box !== undefined) {
      const [, sign, code, message = ""] = box;
      problems.push({
        ...at(boxed),
        severity: sign === "⚠" || sign === "!" ? "warning" : "error",
        ...(code === undefined ? {} : { code }),
        message,
      });
      box = undefined;
      continue;
    }
    rust = rustHead.exec(line) ?? rust;
    box = boxHead.exec(line) ?? box;
    const linted = file === undefined ? null : eslint.exec(line);
    if (linted !== null && file !== undefined) {
      const [, row, column, severity, message = "", code] = linted;
      problems.push({
        file,
        line: Number(row),
        column: Number(column),
        severity: severityOf(severity),
        ...(code === undefined ? {} : { code }),
        message,
      });
      continue;
    }
    const header = eslintFile.exec(line)?.[1];
    if (header !== undefined) {
      file = header;
      continue;
    }
    const found = common.exec(line.trimStart());
    const [, path, row, column, severity, code, message] = found ?? [];
    if (
      path === undefined ||
      message === undefined ||
      message === "" ||
      severity === "note" ||
      severity === "info"
    )
      continue;
    problems.push({
      file: path.replace(/^\.\//, ""),
      line: Number(row),
      ...(column === undefined ? {} : { column: Number(column) }),
      severity: severityOf(severity),
      ...(code === undefined ? {} : { code }),
      message,
    });
  }
  return problems;
}

function at(match: RegExpExecArray) {
  return { file: match[1] ?? "", line: Number(match[2]), column: Number(match[3]) };
}

function severityOf(word: string | undefined): "error" | "warning" {
  return word === "warning" || word === "W" ? "warning" : "error";
}
