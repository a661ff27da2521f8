import { join } from "node:path";

import { limits } from "../../limits.ts";
import { parseCargoText } from "../../reports/cargo-text.ts";
import { parseGoJson } from "../../reports/go-json.ts";
import { parseJunit } from "../../reports/junit.ts";
import { stackPlaces } from "../../reports/places.ts";
import type { ParsedFailure } from "../../reports/report.ts";
import { readTextFile } from "../files.ts";
import type { Runner } from "./runner.ts";

export const pytest: Runner = {
  name: "pytest",
  async inject({ report }) {
    return {
      args: [
        `--junitxml=${report.file("pytest.xml")}`,
        // The older family is the one that says file and line.
        "-o",
        "junit_family=xunit1",
        "--continue-on-collection-errors",
        "--color=no",
      ],
    };
  },
  async read(_result, { report }) {
    const source = await report.read("pytest.xml");
    return source === undefined ? { ok: false, reason: "pytest left no report" } : parseJunit(source);
  },
  classify(result) {
    if (result.kind !== "exited") return undefined;
    // pytest's documented exit codes: 4 is a usage error, 5 is no tests.
    return result.exitCode === 5 ? "no-tests" : result.exitCode === 4 ? "config-error" : undefined;
  },
};

export const goTest: Runner = {
  name: "go",
  reportsOnStdout: true,
  inject: async () => ({ args: [] }),
  async read({ stdout, stderr }, { folder }) {
    const manifest = await readTextFile(join(folder, "go.mod"), 1024 * 1024);
    const module = /^module\s+"?([^\s"]+)/m.exec(manifest ?? "")?.[1] ?? "";
    return parseGoJson(stdout, { diagnostics: stderr, module });
  },
  classify({ stdout, stderr }) {
    if (/^go: /m.test(stderr) && !/"Action":"run"/.test(stdout)) return "config-error";
    const tested = /"Action":"run"/.test(stdout) || /\[build failed\]|\[setup failed\]/.test(stdout);
    return !tested && /\[no test files\]|matched no packages/.test(stdout + stderr) ? "no-tests" : undefined;
  },
};

export const cargoTest: Runner = {
  name: "cargo",
  reportsOnStdout: true,
  inject: async () => ({ args: [] }),
  async read({ stdout, stderr }, { folder }) {
    const result = parseCargoText(stdout, stderr);
    if (!result.ok) return result;
    const { report } = result;
    return { ok: true, report: { ...report, failures: await withLines(folder, report.failures) } };
  },
  classify({ stdout, stderr }) {
    if (/running \d+ test/.test(stdout)) return undefined;
    const manifest =
      /--> (?:\S*\/)?Cargo\.toml:|failed to parse manifest|could not find `Cargo.toml`|failed to load manifest|failed to (?:select|get)|unable to update/;
    return manifest.test(stderr) ? "config-error" : undefined;
  },
};

/** Where the output says no place, as of a test that should have panicked before Rust 1.86: that of the test itself. */
async function withLines(
  folder: string,
  failures: readonly ParsedFailure[],
): Promise<readonly ParsedFailure[]> {
  const sources = new Map<string, string>();
  const found: ParsedFailure[] = [];
  for (const failure of failures) {
    const { file, line, stack = "" } = failure;
    const name = failure.name.split(" > ").at(-1) ?? "";
    if (file === undefined || line !== undefined || !/^\w+$/.test(name) || stackPlaces(stack).length > 0) {
      found.push(failure);
      continue;
    }
    const source = sources.get(file) ?? (await readTextFile(join(folder, file), limits.sourceBytes)) ?? "";
    sources.set(file, source);
    const at = source.split("\n").findIndex((text) => new RegExp(`\\bfn ${name}\\s*[(<]`).test(text));
    found.push(at === -1 ? failure : { ...failure, line: at + 1 });
  }
  return found;
}
