/**
 * Runs that a person begins with a command, with no model. One at a time, and not while the agent works: it has the
 * same policy and the same files. A run ends with Escape, with `stop`, and with the session.
 */
import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { isKeyRelease, matchesKey } from "@earendil-works/pi-tui";
import type { HostEvent, RootCallOutcome } from "@nestbox/calls";
import type { JsonObject } from "@nestbox/tool";

import { createHandHost } from "./hand-host.ts";
import type { PolicyGuard } from "./policy-guard.ts";

export interface HandRunsOptions {
  readonly pi: ExtensionAPI;
  readonly own: ReadonlyMap<string, ToolDefinition>;
  readonly guard: PolicyGuard | undefined;
  /** Told when a run begins, before its first event. */
  readonly onBegin: () => void;
  readonly onEvent: (event: HostEvent) => void;
  /** Told of every call before it is judged, in the call's own async context. */
  readonly onCall: (callId: string) => void;
}

export type HandRunOutcome =
  | { readonly kind: "ran"; readonly outcome: RootCallOutcome }
  /** The session went away: there is nobody to tell. */
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly message: string };

export interface HandRuns {
  /** Calls one tool of ours. Never rejects for what the tool does. */
  run(name: string, args: JsonObject, context: ExtensionContext): Promise<HandRunOutcome>;
  /** Ends the run that goes on; false when there is none. */
  stop(): boolean;
}

const STATUS = "nestbox";

export function createHandRuns(options: HandRunsOptions): HandRuns {
  const { pi, own } = options;
  let running: AbortController | undefined;
  let gone = false;
  let count = 0;
  let asking = 0;
  pi.on("session_shutdown", () => {
    gone = true;
    running?.abort();
  });
  // Escape in a dialog answers the dialog.
  pi.on("ui_prompt_start", () => void asking++);
  pi.on("ui_prompt_end", () => void (asking = Math.max(0, asking - 1)));

  return {
    async run(name, args, context) {
      const why = refusal(name, context);
      if (why !== undefined) return { kind: "refused", message: why };
      const controller = new AbortController();
      running = controller;
      // "Deny and stop the run" means this run.
      const runContext: ExtensionContext = Object.create(context, {
        abort: { value: () => controller.abort() },
      });
      const unsubscribe =
        context.mode === "tui"
          ? context.ui.onTerminalInput((data) => {
              // In every form that terminals send, with Num Lock on too.
              if (asking > 0 || isKeyRelease(data) || !matchesKey(data, "escape")) return undefined;
              controller.abort();
              return { consume: true };
            })
          : undefined;
      context.ui.setStatus(STATUS, context.mode === "tui" ? `${name} runs · escape ends it` : `${name} runs`);
      try {
        options.onBegin();
        await using host = createHandHost({
          pi,
          own,
          root: name,
          context: runContext,
          guard: options.guard?.begin(runContext),
          onEvent: options.onEvent,
          onCall: options.onCall,
        });
        const outcome = await host.call(name, args, {
          callId: `by-hand-${++count}`,
          signal: controller.signal,
        });
        return gone ? { kind: "gone" } : { kind: "ran", outcome };
      } finally {
        running = undefined;
        unsubscribe?.();
        // The context of a session that went away must not be touched.
        if (!gone) context.ui.setStatus(STATUS, undefined);
      }
    },
    stop() {
      running?.abort();
      return running !== undefined;
    },
  };

  function refusal(name: string, context: ExtensionContext): string | undefined {
    if (!own.has(name))
      return `${name} is not Nestbox's in this session: switched off, left out, or another extension's.`;
    if (running !== undefined) return "A run goes on. `/codemode stop` ends it.";
    return context.isIdle() ? undefined : "The agent is working. Wait for it, or stop it.";
  }
}
