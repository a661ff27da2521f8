import { isDeepStrictEqual } from "node:util";

import type { RunStatus } from "@nestbox/restate";

import { type FleetEngine, FleetError, type FleetRun, type FleetRunState, readQuestion } from "../engine.ts";
import type { FleetConfig } from "../fleet-config.ts";
import type { Engines, OpenFleetOptions } from "../fleet-options.ts";
import { withoutPasswords } from "../redact.ts";
import { tellingWithout } from "./fleet-error.ts";
import { toldJournal } from "./told-journal.ts";

type Loaded = Awaited<ReturnType<Engines["restate"]>>;

export function openRestateEngine(
  config: Extract<FleetConfig, { engine: "restate" }>,
  options: OpenFleetOptions,
  { openRestate, openRestateAdmin, openBlobFolder, startWorker }: Loaded,
): FleetEngine {
  const { ingressUrl, adminUrl } = config;
  const urls = [ingressUrl, adminUrl];
  const told = tellingWithout(urls);
  const blobs = openBlobFolder(config.blobs);
  const unavailableMs = options.unavailableMs ?? 10_000;
  const pollMs = options.pollMs === undefined ? {} : { pollMs: options.pollMs };
  const runs = openRestate({ ingressUrl, blobs, unavailableMs, ...pollMs });
  const admin = openRestateAdmin({ adminUrl, blobs, unavailableMs });

  /** Whether a run that was there before has this script. */
  async function isSame(runId: string, script: object): Promise<boolean> {
    const kept: unknown = JSON.parse(JSON.stringify(script));
    const submitted = await admin.submitted(runId);
    if (submitted !== undefined) return isDeepStrictEqual(submitted, kept);
    // The server no longer has it; the journal has its code.
    const { steps } = await admin.entries(runId);
    const start = steps.find(({ key }) => key === "start")?.value;
    const code = typeof start === "object" && start !== null && "code" in start ? start["code"] : undefined;
    return code === undefined || isDeepStrictEqual({ code }, { code: (kept as { code: unknown }).code });
  }

  return {
    name: "restate",
    submit: (runId, script) =>
      told(async () => {
        const { begun } = await runs.submit(runId, script);
        return begun ? { begun } : { begun, same: await isSame(runId, script) };
      }),
    status: (runId) =>
      told(async () => {
        const found = await admin.status(runId);
        return found === undefined ? undefined : fleetRun(found);
      }),
    runs: (choice) => told(async () => (await admin.list(choice)).map(fleetRun)),
    questions: (choice) =>
      told(async () =>
        (await admin.questions(choice)).map(({ runId, key, question, askedAt }) =>
          readQuestion(runId, key, question, askedAt),
        ),
      ),
    journal: (runId) => toldJournal(runId, told, () => runs.run(runId)),
    contents: (runId, choice) => told(() => admin.entries(runId, choice)),
    result: (runId, choice) => told(() => runs.result(runId, choice)),
    resume: (runId) =>
      told(async () => {
        const found = await admin.status(runId);
        if (found?.status !== "paused") return false;
        await admin.resume(found.invocationId);
        return true;
      }),
    probe: () => told(async () => void (await admin.list({ limit: 1 }))),
    startWorker: (worker) =>
      told(async () => {
        const { carrierFor, concurrency, host, port, reusePort, advertise, identityKeys, onLog } = worker;
        const started = await startWorker({
          ingressUrl,
          blobs,
          carrierFor,
          ...(concurrency === undefined ? {} : { maxActive: concurrency }),
          ...(host === undefined ? {} : { host }),
          ...(port === undefined ? {} : { port }),
          ...(reusePort === undefined ? {} : { reusePort }),
          ...(identityKeys === undefined ? {} : { identityKeys }),
          ...(onLog === undefined
            ? {}
            : { onLog: (level, message) => onLog(level, withoutPasswords(message, urls)) }),
        });
        const address = advertise ?? started.url;
        const register = (): Promise<void> =>
          told(async () => {
            // The same address again is no error, and learns of what is new there.
            await admin.register(address, { force: true });
          });
        try {
          await register();
        } catch (error) {
          await started.close({ drainMs: 0 });
          throw error;
        }
        return { id: address, url: started.url, register, close: (closing) => started.close(closing) };
      }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const STATES: ReadonlyMap<string, FleetRunState> = new Map([
  ["pending", "queued"],
  ["scheduled", "queued"],
  ["ready", "queued"],
  ["running", "running"],
  // It is tried again by itself, for example because its worker is gone.
  ["backing-off", "running"],
  ["suspended", "parked"],
  ["paused", "halted"],
  ["completed", "ended"],
]);

function fleetRun(run: RunStatus): FleetRun {
  const { runId, status, ok, error, failure, createdAt, completedAt, wakeAt, endpoint, waitingFor } = run;
  const state = run.waitsForRoom === true ? "queued" : STATES.get(status);
  if (state === undefined)
    throw new FleetError("unreadable", `The server calls the state of ${runId} ${status}, which is none`);
  return {
    runId,
    state,
    ...(ok === undefined ? {} : { ok }),
    ...(error === undefined ? {} : { error }),
    ...(failure === undefined ? {} : { message: failure }),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(completedAt === undefined ? {} : { endedAt: completedAt }),
    ...(wakeAt === undefined || state !== "parked" ? {} : { wakeAt }),
    ...(endpoint === undefined ? {} : { worker: endpoint }),
    waitingFor,
  };
}
