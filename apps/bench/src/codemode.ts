/**
 * Ways to run a model's script, each in a process of its own: one sample of each in turn, so that a machine that drifts
 * drifts for all of them.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import { WAIT_MS } from "./codemode/tools.ts";
import { CASES } from "./codemode/cases.ts";

const ENGINES: readonly string[] = ["nestbox", "bare", "tanstack", "utcp", "run", "pi-codemode"];
const NEEDS_NODE_24 = new Set(["tanstack", "utcp"]);
const GAP_MS = 15;
/** Time in which runners make ready what they make ahead of need. */
const SETTLE_MS = 1_000;
const START_MS = 60_000;

interface Sample {
  readonly ms?: number;
  readonly firstMs?: number;
  readonly error?: string;
}

class EngineProcess {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(node: string, name: string) {
    const file = fileURLToPath(new URL("./codemode/child.ts", import.meta.url));
    this.child = spawn(node, [...process.execArgv, "--no-node-snapshot", "--no-warnings", file, name], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream })[
      Symbol.asyncIterator
    ]();
  }

  async read(): Promise<Sample> {
    const timer = setTimeout(() => this.child.kill("SIGKILL"), START_MS);
    const line = await this.#lines.next();
    clearTimeout(timer);
    return line.done === true ? { error: "the engine's process ended" } : (JSON.parse(line.value) as Sample);
  }

  measure(code: string, expected: unknown): Promise<Sample> {
    this.child.stdin?.write(`${JSON.stringify({ code, expected })}\n`);
    return this.read();
  }
}

/** Resident memory of a process and its children, in megabytes; Linux only. */
function residentMb(pid: number): number {
  let kilobytes = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
      if (Number(name) === pid || parent === pid)
        kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return kilobytes / 1024;
}

function majorOf(node: string): number {
  try {
    return Number(/^v(\d+)/.exec(execFileSync(node, ["--version"], { encoding: "utf8" }))?.[1]);
  } catch {
    return 0;
  }
}

/** Medians in ms and how many times ours; engines that need Node 24 run where `NESTBOX_BENCH_NODE24` names one. */
export async function benchCodemode(): Promise<string> {
  const names = ENGINES;
  const rounds = Number(process.env["NESTBOX_BENCH_ROUNDS"] ?? 20);
  const node24 = process.env["NESTBOX_BENCH_NODE24"] ?? process.execPath;
  const { engines, first } = await openEngines(names, node24);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const rows: string[][] = [
    ["case", ...names],
    ["first script", ...first],
  ];
  // Before anything large: what the first script has left.
  const idle = names.map((name) => memoryOf(engines.get(name)));
  rows.push(["memory idle, MB", ...idle.map(cell)]);
  const running: (number | undefined)[] = [];
  for (const [index, name] of names.entries()) {
    const before = idle[index];
    const during = await memoryWhileRunning(engines.get(name));
    running.push(before === undefined || during === undefined ? undefined : Math.max(0, during - before));
  }
  rows.push(["a running script, MB", ...running.map(cell)]);
  const problems: string[] = [];
  const rested: string[][] = [["case", ...names]];
  for (const { name, code, expected } of CASES) {
    const { warm, cold, errors } = await measureCase(engines, rounds, code, expected);
    rows.push([name, ...cells(names, warm, errors)]);
    rested.push([name, ...cells(names, cold, errors)]);
    for (const [engine, error] of errors) problems.push(`${name}: ${engine}: ${error.slice(0, 200)}`);
  }
  for (const engine of engines.values()) engine.child.stdin?.end();
  return [
    `medians of ${rounds} in ms, each ${GAP_MS} ms after a run of the same engine; in brackets how many times ours`,
    table(rows),
    "the runs before those: after the other engines have had their turns, which is some hundred ms",
    table(rested),
    ...problems,
  ].join("\n");
}

const table = (rows: readonly (readonly string[])[]): string =>
  rows
    .map(
      (row, index) => `| ${row.join(" | ")} |${index === 0 ? `\n|${row.map(() => " --- ").join("|")}|` : ""}`,
    )
    .join("\n");

interface CaseSamples {
  readonly warm: ReadonlyMap<string, readonly number[]>;
  readonly cold: ReadonlyMap<string, readonly number[]>;
  readonly errors: ReadonlyMap<string, string>;
}

/** Every engine twice in each of its turns, so that what the others do in theirs is in the first sample only. */
async function measureCase(
  engines: ReadonlyMap<string, EngineProcess>,
  rounds: number,
  code: string,
  expected: unknown,
): Promise<CaseSamples> {
  const kinds = { cold: new Map<string, number[]>(), warm: new Map<string, number[]>() };
  const errors = new Map<string, string>();
  // One more round than is counted: the first one warms.
  for (let round = 0; round <= rounds; round++) {
    for (const [engine, held] of engines) {
      for (const samples of [kinds.cold, kinds.warm]) {
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
        const { ms, error } = await held.measure(code, expected);
        if (error !== undefined) errors.set(engine, error);
        else if (round > 0 && ms !== undefined) samples.set(engine, [...(samples.get(engine) ?? []), ms]);
      }
    }
  }
  return { ...kinds, errors };
}

function cells(
  names: readonly string[],
  samples: ReadonlyMap<string, readonly number[]>,
  errors: ReadonlyMap<string, string>,
): readonly string[] {
  const base = median(samples.get("nestbox") ?? []);
  return names.map((engine) => {
    const values = samples.get(engine);
    if (values === undefined) return errors.has(engine) ? "failed" : "–";
    const ms = median(values);
    return engine === "nestbox" ? ms.toFixed(2) : `${ms.toFixed(2)} (${(ms / base).toFixed(1)}×)`;
  });
}

async function openEngines(
  names: readonly string[],
  node24: string,
): Promise<{ readonly engines: ReadonlyMap<string, EngineProcess>; readonly first: readonly string[] }> {
  const engines = new Map<string, EngineProcess>();
  const first: string[] = [];
  for (const name of names) {
    const needs24 = NEEDS_NODE_24.has(name);
    if (needs24 && majorOf(node24) !== 24) {
      first.push("needs Node 24");
      continue;
    }
    const engine = new EngineProcess(needs24 ? node24 : process.execPath, name);
    const sample = await engine.read();
    first.push(sample.firstMs === undefined ? (sample.error ?? "failed") : sample.firstMs.toFixed(0));
    if (sample.firstMs !== undefined) engines.set(name, engine);
  }
  return { engines, first };
}

function memoryOf(engine: EngineProcess | undefined): number | undefined {
  const pid = engine?.child.pid;
  return pid === undefined || process.platform !== "linux" ? undefined : residentMb(pid);
}

/** While a script waits for a call, with the small data of a script on its heap. */
async function memoryWhileRunning(engine: EngineProcess | undefined): Promise<number | undefined> {
  if (engine === undefined) return undefined;
  const code =
    "const rows = Array.from({ length: 1000 }, (_, i) => ({ i })); await tools.wait({}); return rows.length";
  const ended = engine.measure(code, 1_000);
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS / 2));
  const mb = memoryOf(engine);
  const { error } = await ended;
  return error === undefined ? mb : undefined;
}

const cell = (mb: number | undefined): string => mb?.toFixed(mb < 10 ? 1 : 0) ?? "–";
