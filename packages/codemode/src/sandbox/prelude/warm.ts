import type { makeCore } from "./core.ts";
import type { makeFrames } from "./frames.ts";
import type { Primordials } from "./primordials.ts";
import type { makeQueue } from "./queue.ts";
import type { makeValues } from "./values.ts";

/**
 * Has the engine make ready, in this isolate, what nearly every script needs: a bridge of its own that leads nowhere
 * makes a call, takes the answer and ends. Nothing of it is left that a script could see.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function warmBridge(
  P: Primordials,
  parts: {
    readonly makeCore: typeof makeCore;
    readonly makeFrames: typeof makeFrames;
    readonly makeQueue: typeof makeQueue;
    readonly makeValues: typeof makeValues;
  },
): void {
  "use strict";
  const core = parts.makeCore(
    P,
    parts.makeQueue(P, () => undefined),
    parts.makeFrames(P),
  );
  const limits = {
    depth: 8,
    valueChars: 1_000,
    outputChars: 1_000,
    outputItems: 10,
    logLines: 10,
    calls: 10,
    inFlight: 10,
    timers: 0,
  };
  core.configure(
    parts.makeValues(P, () => undefined),
    { tools: [], globals: [], limits },
    () => -1,
    () => "[]",
  );
  const script = async (): Promise<unknown> => {
    const answer = await core.startCall(1, "0", { text: "one", count: 1 }, "the argument");
    core.output(4, "text");
    return { answer, list: [1, "two"] };
  };
  core.run(script, false, false);
  core.drain();
  core.settle('[[1,1,{"text":"one"}]]', P.list());
}
