/** Which calls that may change something run in one host, and whether one did since. */
export interface CallWatch {
  /** Another number after every begin and every end of a call that may change something. */
  readonly generation: number;
  /** A call that may change something begins. Returns how to tell that it is over. */
  begin(callId: string): () => void;
  /** Whether a call that may change something runs, the one with the given id left aside. */
  othersRun(callId: string | undefined): boolean;
}

export function createCallWatch(): CallWatch {
  const running = new Set<{ readonly callId: string }>();
  let generation = 0;
  return {
    get generation() {
      return generation;
    },
    begin(callId) {
      const call = { callId };
      running.add(call);
      generation++;
      return () => {
        if (running.delete(call)) generation++;
      };
    },
    othersRun(callId) {
      for (const call of running) if (call.callId !== callId) return true;
      return false;
    },
  };
}
