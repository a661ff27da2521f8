import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

import {
  checkCall,
  defaultPolicyPaths,
  type Explanation,
  explainCommand,
  importClaudeCode,
  importCodex,
  importOpencode,
  lintPolicy,
  openPolicy,
  type OpenPolicy,
  readAudit,
  testPolicy,
} from "@nestbox/policy/node";

import { type CatalogOptions, openCatalog } from "../compose/open-catalog.ts";
import { untilAborted } from "../compose/until-aborted.ts";
import { openCommandPolicy, type PolicyFiles, policyProblems, problemLine } from "../compose/gate.ts";
import { exitCodes } from "../exit-codes.ts";
import { count } from "../report/human.ts";
import { terminalColumns, wrapped } from "../report/width.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { UsageError } from "../usage-error.ts";
import { messageOf } from "@nestbox/tool";

export interface PolicyOptions extends PolicyFiles {
  readonly json?: boolean;
  readonly cwd?: string;
}

/** What the policy says about one command line; nothing is run. */
export function explainPolicy(command: string, options: PolicyOptions, streams: Streams): number {
  const { policy, cwd } = open(options, streams);
  // The name of a tool is a word that people try here, and what is said of a program of that name misleads them.
  if (options.json !== true && /^\w+$/.test(command))
    tellOn(streams)(
      `${command} was read as a command line; of a call of a tool: nestbox policy check --call FILE`,
    );
  return writeExplanation(explainCommand(policy, command, { cwd }), options, streams);
}

/** What the policy says about one call, given as a JSON file or on standard input. */
export async function checkPolicy(
  options: PolicyOptions & CatalogOptions & { readonly call: string },
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const source =
    options.call === "-" ? await untilAborted(text(streams.stdin), signal) : readText(options.call, "--call");
  let call: unknown;
  try {
    call = JSON.parse(source);
  } catch (cause) {
    throw new UsageError(`--call ${options.call}: not JSON: ${messageOf(cause)}`, { cause });
  }
  const { policy, cwd } = open(options, streams);
  const result = checkCall(policy, await asRegistered(call, options, streams, signal), { cwd });
  if (!result.ok) throw new UsageError(`--call ${options.call}: ${result.message}`);
  return writeExplanation(result.explanation, options, streams);
}

/** A call that says nothing of its tool's hints gets those of the tool that has its name, as a run would have them. */
async function asRegistered(
  call: unknown,
  options: CatalogOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<unknown> {
  if (typeof call !== "object" || call === null || Array.isArray(call)) return call;
  const given = call as Readonly<Record<string, unknown>>;
  if (["annotations", "source", "server"].some((key) => Object.hasOwn(given, key))) return call;
  const { tools } = await openCatalog(options, tellOn(streams), signal);
  const found = tools.find(({ name }) => name === given["tool"]);
  if (found === undefined) return call;
  // A module's hints count as an extension's do; the file of a call has no word for it.
  return { ...given, source: "extension", annotations: found.annotations ?? {} };
}

/** Loads each file with its examples, and decides files of cases. Exit code 1 when one is not as it says. */
export function testPolicyFiles(cases: readonly string[], options: PolicyOptions, streams: Streams): number {
  const { policy, cwd } = open(options, streams, false);
  for (const file of cases)
    if (!existsSync(resolve(file))) throw new UsageError(`Cases ${file}: there is no such file.`);
  const report = testPolicy(policy, { cwd, cases: cases.map((file) => resolve(file)) });
  const mistaken = cases.find((file) =>
    report.cases.some(({ id, actual }) => actual === "policy" && id === resolve(file)),
  );
  if (mistaken !== undefined) {
    throw new UsageError(
      `${mistaken} is a policy, not a file of cases. Name it by its layer: nestbox policy test --policy ${mistaken} (or --managed, --project).`,
    );
  }
  if (options.json === true) writeJsonLine(streams, report);
  else {
    for (const file of report.files) {
      streams.stdout.write(
        file.state === "missing" && file.problems.length === 0
          ? `missing  ${file.path}\n`
          : `${file.problems.length === 0 ? "ok" : "refused"}  ${file.path}  ${count(file.rules, "rule")}, ${count(file.examples, "example")}\n`,
      );
      for (const problem of file.problems) streams.stdout.write(`  ${problemLine(problem)}\n`);
    }
    for (const one of report.cases.filter((item) => !item.ok)) {
      streams.stdout.write(
        `not ok  ${one.id}: ${one.actual === "invalid" ? "it cannot be decided" : `expected ${one.expected}, got ${one.actual}`}${one.rule === undefined ? "" : ` (${one.rule})`}${one.message === undefined ? "" : `: ${one.message}`}\n`,
      );
    }
    const good = report.cases.filter((item) => item.ok).length;
    if (report.cases.length > 0)
      streams.stdout.write(`${good} of ${count(report.cases.length, "case")} as expected\n`);
    if (report.files.length === 0) streams.stdout.write("No policy file was found in the usual places.\n");
  }
  return report.ok ? exitCodes.ok : exitCodes.script;
}

/** What a careful reader would ask about the policy. Exit code 1 when a file is broken. */
export function lintPolicyFiles(files: readonly string[], options: PolicyOptions, streams: Streams): number {
  const [bare] = files;
  if (bare !== undefined) {
    // The layer changes what a file may say, so nobody guesses it.
    throw new UsageError(
      `Which layer is ${bare}? Name it by that: nestbox policy lint --policy ${bare} (or --managed, --project).`,
    );
  }
  const { policy } = open(options, streams, false);
  const findings = lintPolicy(policy.layers());
  if (options.json === true) writeJsonLine(streams, { findings });
  else if (findings.length === 0) streams.stdout.write("No findings.\n");
  else {
    for (const finding of findings) {
      streams.stdout.write(
        `${finding.kind.padEnd(14)} ${finding.rule ?? finding.file ?? finding.layer}: ${finding.message}\n`,
      );
    }
  }
  return findings.some((finding) => finding.kind === "broken") ? exitCodes.script : exitCodes.ok;
}

/** Reads and verifies the audit; hits a rule, and rules that never fired. Exit code 1 when a chain is broken. */
export function logPolicy(
  options: PolicyOptions & { readonly dir?: string; readonly session?: string },
  streams: Streams,
): number {
  const { policy, cwd } = open(options, streams, false);
  const rules = policy
    .layers()
    .flatMap((layer) => (layer.ok ? layer.policy.rules.map((rule) => rule.id) : []));
  const dir = resolve(options.dir ?? defaultPolicyPaths({ agentDir: agentDir(), cwd }).auditDir);
  const report = readAudit({
    dir,
    rules,
    ...(options.session === undefined ? {} : { session: options.session }),
  });
  if (options.json === true) writeJsonLine(streams, { dir, ...report });
  else if (report.sessions.length === 0) streams.stdout.write(noAudit(dir, options.session));
  else {
    streams.stdout.write(`audit in ${dir}\n`);
    for (const session of report.sessions) {
      streams.stdout.write(
        `${session.ok ? "verified" : "BROKEN  "}  ${session.name}  ${count(session.records.length, "record")}\n`,
      );
      for (const problem of session.problems)
        streams.stdout.write(`  ${problem.file}:${problem.line}: ${problem.message}\n`);
    }
    for (const hit of report.hits)
      streams.stdout.write(
        `${String(hit.decided).padStart(6)} decided, ${hit.matched} matched  ${hit.rule}\n`,
      );
    for (const rule of report.neverFired) streams.stdout.write(`     0 never fired  ${rule}\n`);
    const { allow, deny, asked, changed } = report.totals;
    streams.stdout.write(
      `${allow} allowed, ${deny} denied, ${asked} asked, ${changed} changed after the decision\n`,
    );
  }
  return report.ok ? exitCodes.ok : exitCodes.script;
}

function noAudit(dir: string, session: string | undefined): string {
  const what = session === undefined ? "no audit" : `no audit whose name contains ${JSON.stringify(session)}`;
  return `There is ${what} in ${dir}.\nSessions of Pi write one there. nestbox keeps none: nestbox run --trace <file> records a run.\n`;
}

const importers = { "claude-code": importClaudeCode, codex: importCodex, opencode: importOpencode } as const;

/** Makes a policy file of another tool's rules; what has no counterpart is said, never dropped in silence. */
export function importPolicy(
  from: string,
  file: string,
  options: { readonly json?: boolean; readonly output?: string },
  streams: Streams,
): number {
  if (!Object.hasOwn(importers, from))
    throw new UsageError(`Cannot import from ${from}: choose one of ${Object.keys(importers).join(", ")}.`);
  // Own key, checked above.
  const result = importers[from as keyof typeof importers](readText(file, "import"));
  if (!result.ok) throw new UsageError(`${file}: ${result.message}`);
  if (options.output !== undefined) writeFileSync(resolve(options.output), result.text, { flag: "wx" });
  if (options.json === true) writeJsonLine(streams, { policy: result.policy, notes: result.notes });
  else if (options.output === undefined) streams.stdout.write(result.text);
  for (const note of result.notes) streams.stderr.write(`${note.kind}: ${note.source}: ${note.message}\n`);
  return exitCodes.ok;
}

/** The files named, else the usual ones; a file that is refused is told, and the strict built-in rules stand for it. */
function open(
  options: PolicyOptions,
  streams: Streams,
  tellProblems = true,
): { readonly policy: OpenPolicy; readonly cwd: string } {
  const cwd = resolve(options.cwd ?? ".");
  const named = [options.policy, options.managed, options.project].some((files) => files !== undefined);
  const policy = named
    ? openCommandPolicy(options, process.cwd(), cwd)
    : openPolicy({ files: defaultPolicyPaths({ agentDir: agentDir(), cwd }).files, home: homedir(), cwd });
  if (tellProblems) {
    for (const line of policyProblems(policy)) {
      streams.stderr.write(
        `nestbox: ${line}\nnestbox: the file is refused as a whole; the strict built-in rules count in its place\n`,
      );
    }
  }
  return { policy, cwd };
}

function agentDir(): string {
  return process.env["PI_CODING_AGENT_DIR"] ?? join(homedir(), ".pi", "agent");
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw new UsageError(
      `${what} ${file}: ${code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`}.`,
      { cause },
    );
  }
}

/** For a rule that does not say why, the engine says that the rule says so; the line above has named it. */
const saysWhy = ({ reason, rule }: Explanation): boolean => reason !== `The rule ${rule} says so`;

function writeExplanation(explanation: Explanation, options: PolicyOptions, streams: Streams): number {
  if (options.json === true) {
    writeJsonLine(streams, { decision: explanation.effect, ...explanation });
    return exitCodes.ok;
  }
  const columns = terminalColumns(streams.stdout);
  const write = (prefix: string, text = ""): void => {
    for (const line of wrapped(prefix, text, columns)) streams.stdout.write(`${line}\n`);
  };
  write(`${explanation.effect}  `, `${explanation.rule} (${explanation.layer})`);
  if (saysWhy(explanation)) write("  ", explanation.reason);
  write("  matched: ", explanation.matched);
  if (explanation.parts.length > 1) {
    write("parts");
    for (const part of explanation.parts)
      write(`  ${part.effect.padEnd(5)} `, `${part.matched}  ${part.rule} (${part.layer})`);
  }
  if (explanation.resources.length > 0) {
    write("resources");
    for (const resource of explanation.resources)
      write("  ", `${resource.action} ${resource.kind} ${resource.value ?? "(not known before it runs)"}`);
  }
  for (const doubt of explanation.doubts) write("doubt  ", `${doubt.kind}: ${doubt.message}`);
  for (const note of explanation.notes) write("note  ", note);
  write("the model is told: ", explanation.modelMessage);
  return exitCodes.ok;
}
