import type { ScriptEvent, ScriptOutcome, ScriptRunner } from "@nestbox/codemode";

/** One script, as it is told to a trace. */
export interface ScriptTale {
  onEvent(event: ScriptEvent): void;
  /** Without an outcome where the runner has none to give. */
  end(outcome: ScriptOutcome | undefined): void;
}

/** The same runner, whose scripts are told from their beginning; `begin` answers undefined where nobody listens. */
export function watchScripts(
  runner: ScriptRunner,
  begin: (script: { readonly text: string; readonly callId?: string }) => ScriptTale | undefined,
): ScriptRunner {
  return {
    async run(request) {
      const { code: text, callId } = request;
      const tale = begin({ text, ...(callId === undefined ? {} : { callId }) });
      if (tale === undefined) return runner.run(request);
      let outcome: ScriptOutcome | undefined;
      try {
        outcome = await runner.run({
          ...request,
          onEvent(event) {
            tale.onEvent(event);
            request.onEvent?.(event);
          },
        });
        return outcome;
      } finally {
        tale.end(outcome);
      }
    },
    warm: () => runner.warm(),
    close: () => runner.close(),
  };
}
