import type { SandboxDriver, SandboxEvents, SandboxExit } from "../../src/runner/driver.ts";
import { FRAME, type Frame, type Segment } from "../../src/runner/frames.ts";
import { createScriptRunner } from "../../src/runner/runner.ts";
import { systemClock } from "../../src/node/system-clock.ts";
import type { ScriptLimits, ScriptRunner } from "../../src/types.ts";

export type Reply = (
  frame: Frame,
  send: (type: number, header: string, segments?: readonly Segment[], run?: number) => void,
  exit: (exit: SandboxExit) => void,
) => void;

export interface LyingOptions {
  /** Resident memory that the sandbox is said to have. */
  readonly memoryBytes?: () => number | undefined;
  readonly limits?: Partial<ScriptLimits>;
}

/** A runner whose sandbox says whatever the test makes it say. */
export function lyingRunner(
  reply: Reply,
  options: LyingOptions = {},
): { runner: ScriptRunner; started: () => number; killed: () => number } {
  let started = 0;
  let killed = 0;
  const driver: SandboxDriver = {
    start(_spec, events: SandboxEvents) {
      started++;
      let gone = false;
      const tell = (type: number, run: number, header: string, segments: readonly Segment[] = []): void => {
        queueMicrotask(() => {
          if (!gone) events.frame({ type, run, header, segments });
        });
      };
      tell(FRAME.ready, 0, "{}");
      return {
        send(type, run, header, segments = []) {
          if (gone) return;
          if (type === FRAME.stop) tell(FRAME.ended, run, "{}");
          reply(
            { type, run, header, segments },
            (kind, text, parts, other = run) => tell(kind, other, text, parts),
            (exit) => queueMicrotask(() => gone || events.exit(exit)),
          );
        },
        kill() {
          // Once a sandbox, however often it is said.
          if (!gone) killed++;
          gone = true;
        },
        close() {
          gone = true;
        },
        memoryBytes: () => options.memoryBytes?.(),
        hold: () => undefined,
      };
    },
  };
  const runner = createScriptRunner({
    driver,
    clock: systemClock,
    pool: {
      maxProcesses: 2,
      maxWaiting: 8,
      waitMs: 5_000,
      idleMs: 1_000,
      maxScripts: 100,
      maxKeptBytes: 1e9,
      startMs: 1_000,
    },
    limits: { cpuMs: 200, ...options.limits },
    jit: true,
    stock: 1,
    timeZone: "UTC",
    locale: "en-US",
    graceMs: 100,
    residentMb: 256,
  });
  return { runner, started: () => started, killed: () => killed };
}
