import type { ScriptLimits, ScriptRequest } from "../types.ts";

/** What the sandbox is told at the start of a script, beside its source and its store. */
export function startHeader(request: ScriptRequest, limits: ScriptLimits): string {
  const { environment } = request;
  return JSON.stringify({
    cpuMs: limits.cpuMs,
    memoryMb: limits.memoryMb,
    globals: (request.globals ?? []).map((global) => global.name),
    limits: {
      depth: limits.maxDepth,
      valueChars: limits.maxValueChars,
      outputChars: limits.maxOutputChars,
      outputItems: limits.maxOutputItems,
      logLines: limits.maxLogLines,
      calls: limits.maxCalls,
      inFlight: limits.maxCallsInFlight,
      timers: limits.maxTimers,
    },
    environment: {
      ...(environment?.now === undefined ? {} : { now: environment.now() }),
      ...(environment?.seed === undefined ? {} : { seed: environment.seed }),
    },
  });
}
