import type { Streams } from "../output.ts";
import { oneLine } from "../report/safe-text.ts";
import type { PartEnd, WorkerEvent } from "./events.ts";

/** What a worker says, a line each: as JSON on standard output, or as text on standard error. */
export interface WorkerLog {
  /** `event` is for programs, `message` for people, `facts` for both. */
  readonly say: (level: Level, event: string, message: string, facts?: Facts) => void;
  readonly onEvent: (event: WorkerEvent) => void;
}

export type Level = "info" | "warn" | "error";
export type Facts = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const MAX_MESSAGE_CHARS = 2_000;

export function createWorkerLog(options: {
  readonly streams: Pick<Streams, "stdout" | "stderr">;
  readonly json: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): WorkerLog {
  const { streams, json, now } = options;
  const say: WorkerLog["say"] = (level, event, message, facts = {}) => {
    const text = oneLine(message, MAX_MESSAGE_CHARS);
    const time = new Date(now()).toISOString();
    if (json) streams.stdout.write(`${JSON.stringify({ time, level, event, ...facts, message: text })}\n`);
    else streams.stderr.write(`nestbox: ${time} ${text}\n`);
  };
  return {
    say,
    onEvent(event) {
      if (event.type === "run.begun") {
        const { runId, resumed } = event;
        say("info", "run.begun", `run ${runId} ${resumed ? "taken up again" : "begun"}`, { runId, resumed });
      } else if (event.type === "run.let-go") {
        const { runId, end, durationMs } = event;
        const took = durationMs === undefined ? undefined : Math.round(durationMs);
        say(end.kind === "halted" ? "warn" : "info", `run.${end.kind}`, `run ${runId} ${endText(end)}`, {
          runId,
          ...(end.kind === "ended" ? { outcome: end.outcome } : {}),
          ...(end.kind === "halted" ? { why: end.why } : {}),
          ...(took === undefined ? {} : { durationMs: took }),
        });
      }
    },
  };
}

function endText(end: PartEnd): string {
  switch (end.kind) {
    case "ended":
      return end.outcome === "ok" ? "ended" : `ended: ${end.outcome}`;
    case "parked":
      return "parked";
    case "released":
      return "let go of: it goes on later, here or elsewhere";
    case "halted":
      return `halted: ${HALTS[end.why]} (nestbox status says more)`;
  }
}

const HALTS = {
  changed: "the engine or the tools are not those with which it began",
  diverged: "the script did something else than its journal says",
  other: "it cannot go on",
} as const;
