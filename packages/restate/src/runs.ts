import type { JsonValue } from "@nestbox/tool";
import {
  checkScript,
  durableClock,
  type DurableClock,
  type DurableScript,
  type RunJournal,
} from "@nestbox/codemode/durable";
import type { ScriptOutcome } from "@nestbox/codemode";
import type { BlobStore } from "./blobs.ts";
import { messageOf, RestateError } from "./errors.ts";
import { isRecord } from "./guards.ts";
import { createIngress, type IngressOptions } from "./ingress.ts";
import { createJournal, journalPath, type JournalOptions } from "./journal.ts";
import { checkRunId, readEnd, RUN_WORKFLOW } from "./protocol.ts";
import { createSealer, type Sealer } from "./seal.ts";

export interface RestateOptions {
  /** Of the server's ingress, for example `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /** The same store for every process that has to do with these runs. */
  readonly blobs: BlobStore;
  /** Sent with every request, for what stands before the server. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly clock?: DurableClock;
  /** How long a server or worker that does not answer is waited for. Default 60,000 ms. */
  readonly unavailableMs?: number;
  /**
   * After what time a run that is carried on looks for what other processes have woken; while it waits on, each look
   * comes twice as late as the one before, up to ten times this. Default 500 ms.
   */
  readonly pollMs?: number;
  /** Characters of JSON above which a value stands in `blobs`. Default 16,384. */
  readonly inlineChars?: number;
  /** Characters of JSON of one value. Default 268,435,456. */
  readonly maxValueChars?: number;
  /** Steps of one run. Default 100,000. */
  readonly maxSteps?: number;
}

export interface RestateRuns {
  /** The journal of a run, whoever carries it on. */
  readonly run: (runId: string) => RunJournal;
  /** Begins a run on the workers, once; says whether it had been begun before. */
  submit(runId: string, script: DurableScript): Promise<{ readonly begun: boolean }>;
  /** The end of a submitted run. Rejects with `refused` when there is no such run or it was killed. */
  result(runId: string, options?: { readonly signal?: AbortSignal }): Promise<ScriptOutcome>;
  /** Removes the journal and the large values of a run that has ended; says whether it did. */
  remove(runId: string): Promise<boolean>;
}

export function openRestate(options: RestateOptions): RestateRuns {
  const { ingress, sealer, ...rest } = journalOptions(options);
  return {
    run: (runId) => createJournal(runId, { ingress, sealer, ...rest }),

    async submit(runId, script) {
      checkRunId(runId);
      // Only what JSON keeps: a worker sees nothing else.
      const kept = JSON.parse(JSON.stringify(script)) as JsonValue;
      checkSubmission(kept);
      const sealed = await sealer.seal(runId, kept);
      const answer = await ingress.call(`${runPath(runId)}/run/send`, { script: sealed });
      const status = isRecord(answer) ? answer["status"] : undefined;
      return { begun: status === "Accepted" };
    },

    async result(runId, { signal } = {}) {
      checkRunId(runId);
      const path = `/restate/workflow${runPath(runId)}/attach`;
      const { outcome } = readEnd(
        await ingress.call(path, undefined, { method: "GET", patient: true, signal }),
      );
      // Written by the run's last step.
      return (await sealer.open(runId, outcome)) as unknown as ScriptOutcome;
    },

    async remove(runId) {
      checkRunId(runId);
      const removed = await ingress.call(`${journalPath(runId)}/remove`, null);
      if (removed !== true) return false;
      await options.blobs.remove(runId);
      return true;
    },
  };
}

/** A worker refuses it as well, but only the one who submits it can mend it. */
function checkSubmission(script: JsonValue): void {
  try {
    // That is what it finds out.
    checkScript(script as unknown as DurableScript);
  } catch (cause) {
    throw new RestateError("misuse", messageOf(cause), { cause });
  }
}

const runPath = (runId: string): string => `/${RUN_WORKFLOW}/${encodeURIComponent(runId)}`;

/** What a journal stands on, with the defaults. */
export function journalOptions(options: RestateOptions): JournalOptions {
  const { ingressUrl, blobs, clock = durableClock, inlineChars = 16_384 } = options;
  if (inlineChars > MAX_INLINE_CHARS)
    throw new RestateError("misuse", `inlineChars is at most ${MAX_INLINE_CHARS}`);
  const http: IngressOptions = {
    url: ingressUrl,
    clock,
    fetch: options.fetch ?? fetch,
    headers: options.headers ?? {},
    unavailableMs: options.unavailableMs ?? 60_000,
  };
  const sealer: Sealer = createSealer(blobs, {
    inlineChars,
    maxValueChars: options.maxValueChars ?? 268_435_456,
  });
  return {
    ingress: createIngress(http),
    sealer,
    clock,
    pollMs: options.pollMs ?? 500,
    maxSteps: options.maxSteps ?? 100_000,
  };
}

/** A page of such entries, each character three bytes and the JSON in JSON, is still under the server's 32 MiB. */
const MAX_INLINE_CHARS = 16_384;
