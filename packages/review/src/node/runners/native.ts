import { join } from "node:path";

import { parseCargoText } from "../../reports/cargo-text.ts";
import { parseGoJson } from "../../reports/go-json.ts";
import { parseJunit } from "../../reports/junit.ts";
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
  read: async ({ stdout, stderr }) => parseCargoText(stdout, stderr),
  classify({ stdout, stderr }) {
    if (/running \d+ test/.test(stdout)) return undefined;
    const manifest =
      /--> (?:\S*\/)?Cargo\.toml:|failed to parse manifest|could not find `Cargo.toml`|failed to load manifest|failed to (?:select|get)|unable to update/;
    return manifest.test(stderr) ? "config-error" : undefined;
  },
};
