import { run } from "run";
import type { Engine } from "../engine.ts";

const LIMITS = {
  timeoutMs: 60_000,
  memoryLimitBytes: 256 * 1024 * 1024,
  maxHostFunctionOutputBytes: 64 * 1024 * 1024,
  maxBridgeRequests: 10_000,
  maxInFlightBridgeRequests: 2_000,
};

export const runEngine: Engine = {
  open: (tools) =>
    Promise.resolve({
      async run(code: string) {
        const result = await run({ source: code, hostFunctions: { tools }, limits: LIMITS });
        if (result.status !== "completed") throw new Error(`run ended as ${result.status}`);
        return result.value;
      },
      close: () => Promise.resolve(),
    }),
};
