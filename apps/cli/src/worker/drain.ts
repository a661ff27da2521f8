import type { FleetWorker } from "../fleet/engine.ts";

/** How long a worker that has let go of its runs may take to say goodbye to its engine. */
const GOODBYE_MS = 5_000;

/**
 * Lets go of the runs once what is under way is kept, and resolves then, or when that took longer than `drainMs`: a
 * worker whose engine is away must end too.
 */
export async function drain(
  worker: FleetWorker,
  options: {
    readonly drainMs: number;
    readonly callsUnderWay: () => number;
    readonly onError: (error: unknown) => void;
    readonly goodbyeMs?: number | undefined;
  },
): Promise<{ readonly cutOff: number; readonly closed: boolean }> {
  const { drainMs, callsUnderWay, onError, goodbyeMs = GOODBYE_MS } = options;
  const closing = worker.close({ drainMs }).then(
    () => true,
    (error: unknown) => {
      onError(error);
      return false;
    },
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), drainMs + goodbyeMs);
  });
  try {
    const closed = await Promise.race([closing, late]);
    return { cutOff: callsUnderWay(), closed };
  } finally {
    clearTimeout(timer);
  }
}
