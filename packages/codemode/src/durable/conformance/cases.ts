import type { RunJournal } from "../journal.ts";
import type { ParkedDecision } from "../parking.ts";
import type { DurableRequest, DurableResult } from "../run-durable.ts";
import type { FakeTools } from "./fake-tools.ts";

export interface DurableView {
  run(runId: string): RunJournal;
  close(): void | Promise<void>;
}

export type Case = readonly [title: string, run: () => Promise<void>];

/** What cases are made with: every view is another process. */
export interface Views {
  readonly view: () => Promise<DurableView>;
  /** A run in a view of its own; a new one without an id. */
  readonly journal: (runId?: string) => Promise<RunJournal>;
  /** Begins it with `code`, or carries it on. */
  readonly go: (
    on: RunJournal,
    tools: FakeTools,
    code?: string,
    more?: Partial<DurableRequest>,
  ) => Promise<DurableResult>;
}

export const YES: ParkedDecision = { kind: "approved" };
