import { findNode } from "../../src/node/index.ts";
import { processDriver } from "../../src/node/process-driver.ts";
import { type SandboxFiles, sandboxFiles } from "../../src/node/sandbox-files.ts";
import { systemClock } from "../../src/node/system-clock.ts";
import type { Clock } from "../../src/runner/clock.ts";
import type { SandboxDriver } from "../../src/runner/driver.ts";
import type { Frame } from "../../src/runner/frames.ts";
import { createScriptRunner } from "../../src/runner/runner.ts";
import type { ScriptLimits, ScriptRunner } from "../../src/types.ts";

export interface Crossing extends Pick<Frame, "type" | "header" | "segments"> {
  readonly to: "sandbox" | "host";
}

export interface WatchedRunner {
  readonly runner: ScriptRunner;
  /** Every frame, in both directions. */
  readonly crossings: Crossing[];
  readonly started: () => number;
}

/** A runner over real sandbox processes whose frames are seen. `mains` are the programs of the first processes. */
export function watchedRunner(
  limits: Partial<ScriptLimits> = {},
  mains: readonly (string | undefined)[] = [],
  clock: Clock = systemClock,
): WatchedRunner {
  const crossings: Crossing[] = [];
  let started = 0;
  const node = (): Promise<string> => findNode({ env: process.env });
  const driver: SandboxDriver = {
    start(spec, events) {
      const main = mains[started++];
      const files: SandboxFiles = main === undefined ? sandboxFiles() : { ...sandboxFiles(), main };
      const link = processDriver({ files, node }).start(spec, {
        frame: (frame) => {
          crossings.push({ to: "host", ...frame });
          events.frame(frame);
        },
        exit: events.exit,
      });
      return {
        ...link,
        send(type, run, header, segments = []) {
          crossings.push({ to: "sandbox", type, header, segments });
          link.send(type, run, header, segments);
        },
      };
    },
  };
  const runner = createScriptRunner({
    driver,
    clock,
    pool: {
      maxProcesses: 1,
      maxWaiting: 8,
      waitMs: 60_000,
      idleMs: 60_000,
      maxScripts: 100,
      maxKeptBytes: 1e9,
      startMs: 120_000,
    },
    limits,
    jit: true,
    stock: 1,
    timeZone: "UTC",
    locale: "en-US",
    graceMs: 500,
    residentMb: 256,
  });
  return { runner, crossings, started: () => started };
}
