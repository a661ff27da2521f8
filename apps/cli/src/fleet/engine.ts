/**
 * What the commands of the fleet stand on: one durable engine, opened from the config. Engines differ in what they call
 * things and in what they keep; behind this they do not.
 */
import type { ScriptOutcome } from "@nestbox/codemode";
import type {
  DurableRequest,
  DurableScript,
  JournalStep,
  JournalWait,
  RunDeath,
  RunJournal,
} from "@nestbox/codemode/durable";
import type { JsonValue } from "@nestbox/tool";

/** What a worker brings: the powers of the runs come from its configuration, never from a submission. */
export type FleetCarrier = Pick<DurableRequest, "runner" | "callerFor"> &
  Partial<Pick<DurableRequest, "globals" | "describe" | "parking" | "onEvent" | "clock" | "parkAfterMs">>;

/** Rejects with {@link FleetError}. */
export interface FleetEngine extends AsyncDisposable {
  readonly name: "dbos" | "restate";
  /** Begins a run, once, however often it is sent; of one that was there before, whether it has the same script. */
  submit(
    runId: string,
    script: DurableScript,
  ): Promise<{ readonly begun: true } | { readonly begun: false; readonly same: boolean }>;
  /** `undefined`: there is no such run. */
  status(runId: string): Promise<FleetRun | undefined>;
  /** The newest first, 10,000 at most. */
  runs(options?: { readonly limit?: number }): Promise<readonly FleetRun[]>;
  /** What people are asked now, the oldest first, 10,000 at most. */
  questions(options?: {
    readonly runId?: string;
    readonly limit?: number;
  }): Promise<readonly FleetQuestion[]>;
  /** To wake a run, or to cancel it with `cancelDurable`. */
  journal(runId: string): RunJournal;
  /** What stands in a run's journal; nothing is taken over by reading it. */
  contents(runId: string, options?: { readonly maxValueBytes?: number }): Promise<FleetContents>;
  /** The end of a run, now or when it has ended; waits as long as that takes. */
  result(runId: string, options?: { readonly signal?: AbortSignal }): Promise<ScriptOutcome>;
  /** Has a halted run tried again; says whether it was halted. */
  resume(runId: string): Promise<boolean>;
  /** Changes nothing; rejects while the engine could not keep what a run does. */
  probe(): Promise<void>;
  /** Begins to carry runs on in this process. One worker a process. */
  startWorker(options: FleetWorkerOptions): Promise<FleetWorker>;
}

export type FleetRunState = "queued" | "running" | "parked" | "halted" | "ended";

/** Times are milliseconds since the epoch. What an engine does not tell is absent. */
export interface FleetRun {
  readonly runId: string;
  /** `parked`: it waits for people or for a timer and holds nothing. `halted`: it cannot go on by itself. */
  readonly state: FleetRunState;
  /** Of a run that has ended: whether the script came to its end. */
  readonly ok?: boolean;
  /** Of a run that has failed: with what, shortened; its kind is `aborted` where it was ended from outside. */
  readonly error?: { readonly kind: string; readonly name: string; readonly message: string };
  /** Why it is halted, or why it last failed. */
  readonly message?: string;
  readonly createdAt?: number;
  readonly endedAt?: number;
  /** When a parked run goes on by itself. */
  readonly wakeAt?: number;
  /** The worker, or its address, that carries it on. */
  readonly worker?: string;
  /** The workers that it is bound to. */
  readonly deployment?: string;
  /** Questions to people that are open. */
  readonly waitingFor?: number;
}

/** One question to a person. All of its texts are a stranger's. */
export interface FleetQuestion {
  readonly runId: string;
  /** What the run is woken with. */
  readonly key: string;
  /** Name of the tool. */
  readonly name: string;
  /** JSON of the arguments, shortened. */
  readonly arguments: string;
  readonly askedAt?: number;
  /** Of exactly what is asked; a decision that carries it is one about nothing else. */
  readonly fingerprint?: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly layer?: string;
  /** As the approver of a terminal shows it. */
  readonly lines: readonly string[];
  readonly folder?: string;
}

/** A step; a value that is larger than was asked for is left out. */
export interface FleetStep extends JournalStep {
  readonly large?: { readonly bytes: number; readonly head: string };
}

export interface FleetContents {
  readonly steps: readonly FleetStep[];
  readonly waits: readonly JournalWait[];
  /** Workers that died while they carried it on, the oldest first; absent where the engine keeps none. */
  readonly deaths?: readonly RunDeath[];
  /** No entry was left out. */
  readonly complete: boolean;
}

export interface FleetWorkerOptions {
  /** What a run may call and how it is run. Asked each time a run is carried on here. */
  readonly carrierFor: (runId: string) => FleetCarrier | Promise<FleetCarrier>;
  /** Runs at a time in this process; the others wait, as queued. */
  readonly concurrency?: number;
  /** Workers of another one carry none of the runs that these began. Of DBOS; Restate pins by address. */
  readonly deployment?: string;
  /** Where to listen for the engine; of Restate. Default 127.0.0.1 and a port that the system chooses. */
  readonly host?: string;
  readonly port?: number;
  /** Several workers of one machine listen at `port`, and are one deployment; of Restate, not on macOS. */
  readonly reusePort?: boolean;
  /** The address at which the engine reaches this worker, where it is another than that at which it listens. */
  readonly advertise?: string;
  /** Public keys of the server; what it has not signed with one of them is refused. Of Restate. */
  readonly identityKeys?: readonly string[];
  readonly onLog?: (level: string, message: string) => void;
}

export interface FleetWorker {
  /** Of this worker among the others. */
  readonly id: string;
  /** Where it listens; absent where the engine is asked and does not call. */
  readonly url?: string;
  /** Tells the engine of it again, where the engine may have forgotten. */
  register(): Promise<void>;
  /** Lets go of its runs once what is under way is kept. Default 10,000 ms. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

export type FleetErrorCode =
  /** The engine's server did not answer in time. */
  | "unreachable"
  /** The server has answered that it will not do it. */
  | "refused"
  /** What stands there cannot be read. */
  | "unreadable"
  /** The words are wrong, for example the id of a run. */
  | "misuse";

/** What an engine could not do, in words that hold no password. */
export class FleetError extends Error {
  override readonly name = "FleetError";
  readonly code = "fleet";
  readonly kind: FleetErrorCode;

  constructor(kind: FleetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** The parts of a question as the journal has it; what is missing is absent. */
export function readQuestion(
  runId: string,
  key: string,
  value: JsonValue,
  askedAt: number | undefined,
): FleetQuestion {
  const at = (record: unknown, name: string): unknown =>
    typeof record === "object" && record !== null && Object.hasOwn(record, name)
      ? (record as Readonly<Record<string, unknown>>)[name]
      : undefined;
  const call = at(value, "call");
  const question = at(value, "question");
  const text = (record: unknown, name: string): string | undefined => {
    const found = at(record, name);
    return typeof found === "string" ? found : undefined;
  };
  const optional = (name: string): { readonly [key: string]: string } => {
    const found = text(question, name);
    return found === undefined ? {} : { [name]: found };
  };
  const lines = at(question, "lines");
  return {
    runId,
    key,
    name: text(call, "name") ?? text(question, "toolName") ?? "",
    arguments: text(call, "args") ?? "",
    ...(askedAt === undefined ? {} : { askedAt }),
    ...optional("fingerprint"),
    ...optional("reason"),
    ...optional("rule"),
    ...optional("layer"),
    ...optional("folder"),
    lines: Array.isArray(lines) ? lines.filter((line): line is string => typeof line === "string") : [],
  };
}
