import type { CallRequest } from "@nestbox/tool";

import type { Timers } from "./timers.ts";

/**
 * From the decision that the run is to stop until the host has been told. The host is told a little later than the
 * call: told at once, it would abort the call's own signal, and the model would read that the call was aborted instead
 * of why. Meanwhile the gate is closed.
 */
export interface Stopping {
  readonly active: boolean;
  begin(request: CallRequest): void;
  /** The host is done with this call, or with all: it has the reason by now. */
  ended(callId?: string): void;
}

export function createStopping(options: {
  readonly timers: Timers;
  readonly tell: (request: CallRequest) => void;
}): Stopping {
  let pending: { readonly request: CallRequest; readonly cancelTimer: () => void } | undefined;
  const flush = (): void => {
    const stopped = pending;
    if (stopped === undefined) return;
    pending = undefined;
    stopped.cancelTimer();
    options.tell(stopped.request);
  };
  return {
    get active() {
      return pending !== undefined;
    },
    begin(request) {
      pending ??= { request, cancelTimer: options.timers.after(0, flush) };
    },
    ended(callId) {
      if (callId === undefined || callId === pending?.request.callId) flush();
    },
  };
}
