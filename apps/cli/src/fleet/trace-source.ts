/** The runs of a fleet, as the inspector's page looks at them: asked for again and again, while somebody looks. */
import {
  type FleetEntry,
  type FleetList,
  newestFirst,
  type OpenQuestion,
  readRun,
  type Run,
} from "@nestbox/inspector";
import type { FleetSource, RunSource } from "@nestbox/inspector/node";
import { createRedactor, messageOf, type Redactor, shorten } from "@nestbox/tool";

import { type FleetEngine, FleetError, type FleetQuestion, type FleetRun } from "./engine.ts";
import type { FleetWorld } from "./fleet-world.ts";
import { withoutPasswords } from "./redact.ts";
import { runTrace, type RunTraceOptions } from "./run-trace.ts";
import { errorWord, stateWord } from "./run-words.ts";

export interface FleetSourceOptions {
  readonly world: Pick<FleetWorld, "now" | "pause">;
  /** Opens the engine, or gives the one that is open. It is asked before every look, so that one that was away is found. */
  readonly open: () => Promise<FleetEngine>;
  /** The words of the command that answers a question, before the run's id and the question's key. */
  readonly approveWith: readonly string[];
  /** The words of the command that has a halted run tried again, before the run's id. */
  readonly resumeWith?: readonly string[];
  /** Ends every look. */
  readonly signal: AbortSignal;
}

/** How often the list and an open run are asked for; where an answer takes long, less often. */
export const LIST_MS = 2_000;
export const RUN_MS = 1_000;
/** A look that takes longer is told of, while it goes on. */
export const LATE_MS = 3_000;
const SHARE = 5;
/** Runs that are listed. */
export const MAX_LISTED = 10_000;
/** Questions of one run that are told in the list. */
const MAX_QUESTIONS = 3;
/** Bytes of a value of a journal; a larger one is told by its size. */
export const MAX_VALUE_BYTES = 1_048_576;
const MAX_TEXT_CHARS = 500;
/** What both engines take for a run's id. */
const RUN_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/;

export function createFleetSource(options: FleetSourceOptions): FleetSource {
  const { open, approveWith, resumeWith, world } = options;
  const redact = createRedactor();
  let list: FleetList = { name: "", approveWith, loaded: false, more: false, runs: [] };
  const looks = createLooks(options, LIST_MS, async () => {
    const engine = await open();
    const [runs, questions] = await Promise.all([
      engine.runs({ limit: MAX_LISTED }),
      engine.questions({ limit: MAX_LISTED }),
    ]);
    list = {
      name: engine.name,
      approveWith,
      loaded: true,
      more: runs.length >= MAX_LISTED,
      runs: entriesOf(runs, questions, redact),
    };
    return true;
  });
  return {
    list: () => (looks.trouble() === "" ? list : { ...list, trouble: looks.trouble() }),
    subscribe: (listener) => looks.subscribe(listener),
    open(id) {
      if (!RUN_ID.test(id)) return undefined;
      let run: Run | undefined;
      const runLooks = createLooks(options, RUN_MS, async () => {
        const engine = await open();
        const { standing, read } = await readFleetRun(engine, id, {
          approveWith,
          ...(resumeWith === undefined ? {} : { resumeWith }),
          now: world.now(),
        });
        run = read;
        return standing.state !== "ended";
      });
      const source: RunSource = {
        runs: () => (run === undefined ? [] : [run]),
        trouble: () => runLooks.trouble(),
        subscribe: (listener) => runLooks.subscribe(listener),
      };
      return source;
    },
  };
}

/** One run as the page shows it. Rejects with `FleetError`, also where there is no such run. */
export async function readFleetRun(
  engine: FleetEngine,
  id: string,
  options: Pick<RunTraceOptions, "approveWith" | "resumeWith" | "now">,
): Promise<{ readonly standing: FleetRun; readonly read: Run }> {
  // First how it is, then what it has done: what has ended has nothing more to tell.
  const standing = await engine.status(id);
  if (standing === undefined) throw new FleetError("misuse", `There is no run ${id} in this fleet.`);
  const trace = runTrace(standing, await engine.contents(id, { maxValueBytes: MAX_VALUE_BYTES }), options);
  const read = readRun(id, trace);
  if (!read.ok) throw new FleetError("unreadable", `The run ${id} cannot be shown: ${read.message}`);
  return { standing, read: read.run };
}

function entriesOf(
  runs: readonly FleetRun[],
  questions: readonly FleetQuestion[],
  redact: Redactor,
): readonly FleetEntry[] {
  const asked = Map.groupBy(questions, ({ runId }) => runId);
  const short = (text: string): string => shorten(redact(text.slice(0, MAX_TEXT_CHARS * 4)), MAX_TEXT_CHARS);
  return runs
    .map((run): FleetEntry => {
      const open = asked.get(run.runId) ?? [];
      const { runId, message = errorWord(run), createdAt, endedAt, wakeAt, worker } = run;
      return {
        id: runId,
        state: stateWord(run),
        ...(createdAt === undefined ? {} : { createdAt }),
        ...(endedAt === undefined ? {} : { endedAt }),
        ...(wakeAt === undefined ? {} : { wakeAt }),
        ...(worker === undefined ? {} : { worker }),
        ...(message === "" ? {} : { message: short(message) }),
        waitingFor: Math.max(open.length, run.waitingFor ?? 0),
        questions: open.slice(0, MAX_QUESTIONS).map((question) => questionOf(question, short)),
      };
    })
    .sort(newestFirst);
}

function questionOf(question: FleetQuestion, short: (text: string) => string): OpenQuestion {
  const { key, name, arguments: args, reason, askedAt } = question;
  return {
    key,
    name,
    ...(args === "" ? {} : { arguments: short(args) }),
    ...(reason === undefined ? {} : { reason: short(reason) }),
    ...(askedAt === undefined ? {} : { askedAt }),
  };
}

interface Looks {
  /** The first listener begins them, the last one that goes ends them. */
  subscribe(listener: () => void): () => void;
  /** Why the last one failed; empty: it did not. */
  trouble(): string;
}

/** Looks until `look` says that there will be nothing more to see; what fails is tried again. */
function createLooks(
  { world, signal }: FleetSourceOptions,
  everyMs: number,
  look: () => Promise<boolean>,
): Looks {
  const listeners = new Set<() => void>();
  let trouble = "";
  let over: AbortController | undefined;

  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const begin = async (ending: AbortSignal): Promise<void> => {
    for (let more = true; more && !ending.aborted;) {
      const began = world.now();
      const answered = new AbortController();
      const signals = AbortSignal.any([ending, answered.signal]);
      void world.pause(LATE_MS, signals).then(() => {
        if (signals.aborted || trouble !== "") return;
        trouble = LATE;
        tell();
      });
      try {
        more = await look();
        trouble = "";
      } catch (error) {
        trouble = troubleOf(error);
      } finally {
        answered.abort();
      }
      if (ending.aborted) return;
      tell();
      if (more) await world.pause(Math.max(everyMs, (world.now() - began) * SHARE), ending);
    }
  };
  return {
    trouble: () => trouble,
    subscribe(listener) {
      listeners.add(listener);
      if (over === undefined) {
        over = new AbortController();
        void begin(AbortSignal.any([signal, over.signal]));
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        over?.abort();
        over = undefined;
      };
    },
  };
}

const LATE = `The fleet has not answered for ${LATE_MS / 1_000} seconds. The page waits until it does.`;

/** What goes on by itself says so: nobody has to load the page again. */
function troubleOf(error: unknown): string {
  const text = withoutPasswords(messageOf(error));
  return error instanceof FleetError && error.kind === "unreachable"
    ? `${text.replace(/\.$/, "")}. The page asks again until it does.`
    : text;
}
