/** Who gets Ctrl-C: the command as a whole, or for a while a part of it. */
export interface Interrupts {
  /** Until the returned function is called, `handler` is told and the command goes on. */
  take(handler: () => void): () => void;
}

export interface InterruptSource extends Interrupts {
  /** Aborted when the command as a whole is to end. */
  readonly signal: AbortSignal;
  /** `false`: the command was ended, and the next Ctrl-C is the system's. */
  interrupt(): boolean;
  end(reason: string): void;
}

/**
 * Ctrl-C and SIGTERM end the command once; the next one is the system's, whatever the command is still doing. The listeners
 * stay until then: others, who put the cursor back at the end of a process, end it themselves where they are alone.
 * A terminal that is closed ends the command too. Its SIGHUP may come twice, from the system and from the shell, and is no
 * sign of impatience.
 */
export function listenForSignals(
  source: Pick<NodeJS.Process, "on" | "off" | "kill" | "pid">,
  interrupts: Pick<InterruptSource, "interrupt" | "end">,
): void {
  let ended = false;
  const begin = (signal: NodeJS.Signals): void => {
    if (ended) {
      source.off("SIGINT", begin).off("SIGTERM", begin);
      source.kill(source.pid, signal);
    } else if (signal === "SIGINT") ended = !interrupts.interrupt();
    else {
      ended = true;
      interrupts.end("terminated");
    }
  };
  const hangUp = (): void => {
    if (ended) return;
    ended = true;
    interrupts.end("the terminal was closed");
  };
  source.on("SIGINT", begin).on("SIGTERM", begin).on("SIGHUP", hangUp);
}

export function createInterrupts(): InterruptSource {
  const controller = new AbortController();
  let taken: (() => void) | undefined;
  return {
    signal: controller.signal,
    take(handler) {
      taken = handler;
      return () => {
        if (taken === handler) taken = undefined;
      };
    },
    interrupt() {
      if (taken === undefined) {
        controller.abort(new Error("interrupted"));
        return false;
      }
      taken();
      return true;
    },
    end: (reason) => controller.abort(new Error(reason)),
  };
}
