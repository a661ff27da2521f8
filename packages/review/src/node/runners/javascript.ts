import { parseJestJson } from "../../reports/jest-json.ts";
import { parseJunit } from "../../reports/junit.ts";
import { parseMochaJson } from "../../reports/mocha-json.ts";
import { parsePlaywrightJson } from "../../reports/playwright-json.ts";
import { stackPlaces } from "../../reports/places.ts";
import { emptyReport, type ReportResult } from "../../reports/report.ts";
import { plainText } from "../../reports/text.ts";
import { parseTap } from "../tap.ts";
import { locateAvaTests } from "./ava-files.ts";
import type { Runner } from "./runner.ts";
import { vitestReporterSource } from "./vitest-reporter.ts";

const missing = (name: string): ReportResult => ({ ok: false, reason: `${name} left no report` });

export const vitest: Runner = {
  name: "vitest",
  async inject({ report }) {
    const reporter = await report.write("reporter.mjs", vitestReporterSource);
    return {
      // Versions that do not know our reporter's hooks still write their own report.
      args: [
        "--run",
        `--reporter=${reporter}`,
        "--reporter=json",
        `--outputFile.json=${report.file("vitest.json")}`,
      ],
      env: { NESTBOX_VITEST_REPORT: report.file("full.json") },
    };
  },
  async read(_result, { report }) {
    const source = (await report.read("full.json")) ?? (await report.read("vitest.json"));
    return source === undefined ? missing("vitest") : parseJestJson(source);
  },
  classify({ output }, report) {
    // It reports nothing found with an empty report, and says so only to the reporters that it has replaced.
    if (report !== undefined || /No test files found/i.test(output)) return "no-tests";
    if (/failed to load config|CACError|Startup Error/i.test(plainText(output))) return "config-error";
    return undefined;
  },
};

export const jest: Runner = {
  name: "jest",
  async inject({ report }) {
    return { args: ["--json", `--outputFile=${report.file("jest.json")}`, "--watchAll=false"] };
  },
  async read(_result, { report }) {
    const source = await report.read("jest.json");
    return source === undefined ? missing("jest") : parseJestJson(source);
  },
  classify({ output }) {
    if (/^No tests found/m.test(output)) return "no-tests";
    const text = plainText(output);
    const broken =
      /(?:Validation|Configuration) (?:Error|Warning):|Unrecognized CLI Parameter|Failed to parse the (?:TypeScript )?config|Could not find a config file|(?:^|\s|\/)jest\.config\.\w+[:\s]|Preset .* not found|Test environment .* cannot be found/m;
    return broken.test(text) ? "config-error" : undefined;
  },
};

export const mocha: Runner = {
  name: "mocha",
  async inject({ report }) {
    return { args: ["--reporter", "json", "--reporter-option", `output=${report.file("mocha.json")}`] };
  },
  async read({ stderr, stdout }, { folder, report }) {
    const source = await report.read("mocha.json");
    if (source !== undefined) return parseMochaJson(source);
    // A test file that cannot be loaded ends mocha before it writes a report: say which one.
    const text = plainText(stderr.trim() === "" ? stdout : stderr);
    const headline = /(?:^|: )(\w*Error(?: \[\w+\])?: .*)/m.exec(text)?.[1];
    const importer = /imported from ((?!\S*\/node_modules\/)\S+)/.exec(text)?.[1];
    const own = stackPlaces(text).find(
      ({ file }) => file.includes(folder) && !file.includes("/node_modules/"),
    );
    const file = importer ?? own?.file;
    if (headline === undefined || file === undefined || /\.mocharc|mocha\.opts/.test(file))
      return missing("mocha");
    const failure = {
      file,
      name: "(file)",
      kind: "load",
      message: headline,
      line: own?.line,
      stack: text,
    } as const;
    return { ok: true, report: { ...emptyReport, failed: 1, failures: [failure] } };
  },
  classify({ output }) {
    if (/Error: No test files found/.test(output)) return "no-tests";
    if (/\.mocharc|Unable to read\/parse|✖ ERROR:|Unknown (?:argument|option)/.test(output))
      return "config-error";
    return undefined;
  },
};

export const playwright: Runner = {
  name: "playwright",
  async inject({ report }) {
    const file = report.file("playwright.json");
    return {
      args: ["--reporter=json"],
      // The second name is the one of versions before 1.51, relative to the folder of the configuration.
      env: { PLAYWRIGHT_JSON_OUTPUT_FILE: file, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
    };
  },
  async read({ stdout }, { report }) {
    const source = (await report.read("playwright.json")) ?? stdout.slice(Math.max(0, stdout.indexOf("{")));
    return parsePlaywrightJson(source);
  },
  classify({ output }) {
    if (/Error: No tests found/.test(output)) return "no-tests";
    if (/playwright\.config\.\w+|unknown option/.test(output)) return "config-error";
    return undefined;
  },
};

export const bun: Runner = {
  name: "bun",
  async inject({ report }) {
    return { args: ["--reporter=junit", `--reporter-outfile=${report.file("bun.xml")}`] };
  },
  async read(result, { report }) {
    const source = await report.read("bun.xml");
    const parsed = source === undefined ? missing("bun") : await parseJunit(source);
    // A file that cannot be loaded is in no suite of the report: its error stands in the output alone.
    const loads = bunLoadErrors(plainText(result.output));
    if (loads.length === 0) return parsed;
    const base = parsed.ok ? parsed.report : emptyReport;
    return {
      ok: true,
      report: { ...base, failed: base.failed + loads.length, failures: [...base.failures, ...loads] },
    };
  },
  classify({ output }) {
    if (/No tests found|did not match any test files/i.test(output)) return "no-tests";
    return /\bat (?:\S*\/)?bunfig\.toml:/.test(output) ? "config-error" : undefined;
  },
};

function bunLoadErrors(output: string) {
  const found: { file: string; name: string; kind: "load"; message: string; line?: number }[] = [];
  const blocks = output.split(/^# Unhandled error between tests$/m);
  for (const [index, block] of blocks.entries()) {
    if (index === 0) continue;
    const body = block.split(/^-{5,}$/m)[1] ?? block;
    const message = /^(?:error|\w*Error): .*/m.exec(body)?.[0];
    const file = /^(\S+\.[cm]?[jt]sx?):$/m.exec(blocks[index - 1]?.trimEnd().split("\n").at(-1) ?? "")?.[1];
    const place = stackPlaces(body)[0];
    const where = file ?? place?.file ?? / from '([^']+)'/.exec(body)?.[1];
    if (message !== undefined && where !== undefined) {
      found.push({
        file: where,
        name: "(file)",
        kind: "load",
        message,
        ...(place === undefined ? {} : { line: place.line }),
      });
    }
  }
  return found;
}

/** Node's own runner is told through `NODE_OPTIONS`: an argument after a file name would be one more file name. */
export const nodeTest: Runner = {
  name: "node:test",
  async inject({ report, words = [] }) {
    const own = words.some((word) => /^--test-reporter(?:=|$)/.test(word));
    const placed = words.some((word) => word.startsWith("--test-reporter-destination"));
    const options = ["--test-reporter=tap", `--test-reporter-destination=${report.file("node.tap")}`];
    // Node wants one destination a reporter as soon as one has a destination.
    if (own && !placed) options.push("--test-reporter-destination=stdout");
    return { args: [], env: { NODE_OPTIONS: options.map(quoted).join(" ") } };
  },
  async read(_result, { report }) {
    const source = await report.read("node.tap");
    return source === undefined ? missing("node:test") : parseTap(source);
  },
  classify(result) {
    // 9: an option that Node does not know.
    if (result.kind === "exited" && result.exitCode === 9) return "config-error";
    return /Could not find '.*'/.test(result.stderr) ? "no-tests" : undefined;
  },
};

function quoted(option: string): string {
  return /[\s"\\]/.test(option) ? `"${option.replace(/["\\]/g, "\\$&")}"` : option;
}

/** tape, ava and node-tap: they write TAP to standard output. */
export const tapOutput: Runner = {
  name: "tap",
  reportsOnStdout: true,
  async inject({ words = [] }) {
    if (isStartedBy("ava", words)) return { args: ["--tap"] };
    return { args: isStartedBy("tap", words) ? ["--reporter=tap"] : [] };
  },
  async read({ stdout }, { folder, words = [] }) {
    const parsed = await parseTap(stdout, { namesInComments: isStartedBy("tape", words) });
    if (!parsed.ok || !isStartedBy("ava", words)) return parsed;
    const { report } = parsed;
    return { ok: true, report: { ...report, failures: await locateAvaTests(folder, report.failures) } };
  },
};

function isStartedBy(program: string, words: readonly string[]): boolean {
  return words.some((word) => word === program || word.endsWith(`/${program}`));
}
