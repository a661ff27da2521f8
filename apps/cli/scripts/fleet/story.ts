/**
 * What the command shows: a run that goes on when the worker that carries it is killed in the middle of a call, waits for
 * a person in no process, and ends with every effect having happened once.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { closed, end, type Household } from "./household.ts";
import { type FleetPlace, until } from "./servers.ts";
import { readWorkerLine, type WorkerLine } from "./worker-line.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const examples = here("../../../../examples");
const RUN = "review-1";
const STEP_MS = 60_000;

interface Worker {
  readonly name: string;
  readonly pid: number;
  /** What it said, one object a line. */
  readonly lines: readonly Line[];
  end(signal: NodeJS.Signals): Promise<number | null>;
}

interface Line extends WorkerLine {
  readonly at: number;
}

/** Resolves when all of it is so; rejects with what is not. */
export async function tellStory(
  household: Household,
  place: FleetPlace,
  say: (message: string) => void,
): Promise<void> {
  const folder = household.folder("fleet");
  const project = join(folder, "cart");
  const ledger = join(folder, "effects");
  writeFileSync(ledger, "");
  makeProject(project);
  const env = { ...process.env, ...place.env, NESTBOX_FLEET_LEDGER: ledger, NO_COLOR: "1" };
  const nestbox = async (...words: readonly string[]): Promise<string> => {
    const child = household.start(process.execPath, [...PROGRAM, ...words, ...place.words], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    const { code } = await within(`nestbox ${words[0]} ends`, closed(child));
    if (code !== 0) throw new Error(`nestbox ${words.join(" ")} ended with the exit code ${code}: ${text}`);
    return text;
  };
  const written = () => readEffects(ledger);

  const workers = [await startWorker("worker 1"), await startWorker("worker 2")];
  say("two workers are ready, each with the tools and the policy of its own command line");

  const script = join(examples, "fleet-review.ts");
  // Watched from now on: the call is to be caught in its middle, however long the command takes to end.
  const submitted = nestbox("submit", script, "--id", RUN);
  submitted.catch(() => undefined);
  say(`a run is submitted: nestbox submit ${script.slice(script.indexOf("examples/"))} --id ${RUN}`);

  await until(
    "the report is being rendered",
    () => written().some(({ what }) => what === "rendering"),
    STEP_MS,
  );
  const inTheMiddle = written().find(({ what }) => what === "rendering");
  const killed = workers.find(({ pid }) => pid === inTheMiddle?.pid);
  const other = workers.find((worker) => worker !== killed);
  if (killed === undefined || other === undefined) throw new Error("None of the workers renders the report");
  say(`${killed.name} is in the middle of render_report`);
  const killedAt = performance.now();
  await killed.end("SIGKILL");
  await submitted;
  say(`${killed.name} is killed: kill -9 ${killed.pid}`);

  await until("the other worker takes the run up", () => takenUp(other) !== undefined, STEP_MS);
  const tookMs = (takenUp(other)?.at ?? 0) - killedAt;
  say(`${other.name} goes on with it after ${Math.round(tookMs)} ms`);

  await until(
    "the run waits for a person",
    () => other.lines.some(({ event }) => event === "run.parked"),
    STEP_MS,
  );
  say("the run waits for a person: it holds no isolate and no worker");
  const status = await nestbox("status", RUN, "--json");
  if (!status.includes("send_report")) throw new Error(`The run does not ask about send_report: ${status}`);
  await nestbox("approve", RUN, "--yes");
  say(`a person says yes: nestbox approve ${RUN}`);

  const answer = await nestbox("submit", script, "--id", RUN, "--wait", "--json");
  const ended = JSON.parse(answer.trim().split("\n").at(-1) ?? "{}") as {
    readonly ok?: boolean;
    readonly value?: unknown;
  };
  if (ended.ok !== true)
    throw new Error(`The run did not come to its end: ${JSON.stringify(ended).slice(0, 1_000)}`);
  say(`the run has ended: ${JSON.stringify(ended.value)}`);

  checkEffects(written(), killed.pid, other.pid);
  for (const { what, pid, text } of written())
    say(`  ${workers.find((worker) => worker.pid === pid)?.name ?? pid}: ${what} ${text}`);
  say(
    "every effect happened once; the call that was cut in the middle was begun again, because its tool says that it may be",
  );

  const code = await other.end("SIGTERM");
  if (code !== 0) throw new Error(`${other.name} ended with the exit code ${code}`);
  say(`${other.name} lets go and ends: kill ${other.pid}, exit code 0`);

  async function startWorker(name: string): Promise<Worker> {
    const words = ["worker", "--json", "--isolates", "1", "--cwd", project];
    const own = ["--tools", here("tools.ts"), "--policy", join(examples, "fleet-review.policy.jsonc")];
    const child = household.start(
      process.execPath,
      [...PROGRAM, ...words, ...own, ...place.words, ...place.workerWords],
      {
        env,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let errors = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-2_000);
    });
    const lines: Line[] = [];
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on("line", (line) => {
        const said = readWorkerLine(line);
        if (said === undefined) return;
        lines.push({ ...said, at: performance.now() });
        if (said.event.startsWith("run.")) say(`  ${name}: ${said.message}`);
      });
    await until(
      `${name} is ready`,
      () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${name} ended while it started: ${errors}`);
        return lines.some(({ event }) => event === "worker.ready");
      },
      STEP_MS,
    );
    return {
      name,
      pid: child.pid ?? 0,
      lines,
      end: async (signal) => (await end(child, signal)).code,
    };
  }
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(STEP_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`It did not come to this: ${what}`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}

const PROGRAM = ["--conditions=@nestbox/source", "--no-warnings", here("../../src/main.ts")];

const takenUp = ({ lines }: Worker): Line | undefined =>
  lines.find(({ event, message }) => event === "run.begun" && message.includes("again"));

interface Effect {
  readonly what: string;
  readonly pid: number;
  readonly text: string;
}

function readEffects(file: string): readonly Effect[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [what = "", pid, ...text] = line.split(" ");
      return { what, pid: Number(pid), text: text.join(" ") };
    });
}

/** Rejects what happened twice, or not at all. */
function checkEffects(effects: readonly Effect[], killed: number, other: number): void {
  const places = effects.map(
    ({ what, pid }) => `${what} ${pid === killed ? "killed" : pid === other ? "other" : pid}`,
  );
  const expected = [
    "noted killed",
    "noted killed",
    "rendering killed",
    "rendering other",
    "rendered other",
    "noted other",
    "sent other",
  ];
  if (places.join(", ") !== expected.join(", "))
    throw new Error(`It happened otherwise: ${places.join(", ")}`);
}

/** A repository whose last commit is fine and whose working tree is not. */
function makeProject(project: string): void {
  cpSync(join(examples, "projects/cart"), project, { recursive: true });
  const identity = ["user.name=Demo", "user.email=demo@example.invalid", "commit.gpgSign=false"];
  const git = (...args: readonly string[]): void => {
    execFileSync("git", [...identity.flatMap((pair) => ["-c", pair]), ...args], {
      cwd: project,
      stdio: "ignore",
    });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart that adds up");
  cpSync(join(examples, "projects/cart-change"), project, { recursive: true });
}
