import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { CallDecision, PauseSource } from "@nestbox/tool";

import type { Recheck, RecheckRequest } from "../gate/gate-types.ts";
import { tellable } from "../gate/tellable.ts";
import type { PolicyLayer } from "../rules/types.ts";
import { createPolicyHandlers, type PolicyHandlers } from "./handlers.ts";
import { policyState, runPolicyCommand, type PolicyState } from "./command.ts";
import { joinPeers } from "./peers.ts";
import { openSession, type PolicyExtensionOptions, type PolicySession } from "./session.ts";

/** The policy as a Pi extension: call it with `pi`, or hand it to Pi as an extension factory. */
export interface PolicyExtension {
  (pi: ExtensionAPI): void;
  /** How a call of the running session was decided, for whoever made it. */
  decisionOf(callId: string): CallDecision | undefined;
  /** Paused while a person is asked about this call or one below it. */
  pausesFor(callId: string): PauseSource;
  /** For `guardTool`: the last look, next to the effect. Refuses where no session runs. */
  recheck(request: RecheckRequest): Recheck;
  /** What counts now, as layers: for `dangers`. Empty before a session began, or with an engine of the host's own. */
  layers(): readonly PolicyLayer[];
  /**
   * What is registered with Pi, for calls that Pi does not tell of: a command's own run, another host in the session.
   * They are judged by the session's gate. Undefined until the extension was called with `pi`.
   */
  handlers(): PolicyHandlers<ExtensionContext> | undefined;
  /** What `/policy` shows; undefined before a session began. */
  state(): PolicyState | undefined;
}

/**
 * Puts the policy in front of every call of a Pi session: what the model asks for, and what tools and scripts ask for.
 * Load it last among the extensions that change arguments, so that it judges what runs.
 */
export function createPolicyExtension(options: PolicyExtensionOptions = {}): PolicyExtension {
  // Belongs to the session that runs now: set by its first event, cleared by its end.
  let session: PolicySession | undefined;
  let registered: PolicyHandlers<ExtensionContext> | undefined;

  const extension = (pi: ExtensionAPI): void => {
    const peers = joinPeers(pi.events, (call) => session?.gate.answeredByPerson(call) === true);
    const sessionFor = (context: ExtensionContext): PolicySession => {
      session ??= openSession(options, context, peers);
      session.context = context;
      return session;
    };
    const handlers = createPolicyHandlers<ExtensionContext>({
      gate: (context) => sessionFor(context).gate,
      tools: () => pi.getAllTools(),
      ...(options.mutableInput === undefined ? {} : { mutableInput: options.mutableInput }),
      ...(options.gate?.clock === undefined ? {} : { clock: options.gate.clock }),
    });
    registered = handlers;
    pi.on("session_start", (_event, context) => {
      session?.close();
      session = undefined;
      sessionFor(context);
    });
    pi.on("session_shutdown", () => {
      session?.close();
      session = undefined;
    });
    pi.on("agent_start", handlers.agentStart);
    pi.on("agent_end", handlers.agentEnd);
    pi.on("tool_execution_start", handlers.toolExecutionStart);
    pi.on("tool_execution_end", handlers.toolExecutionEnd);
    pi.on("tool_call", handlers.toolCall);
    pi.on("tool_result", handlers.toolResult);
    pi.on("user_bash", (event, context) => {
      const { gate, engine } = sessionFor(context);
      // A person is bound by rules that name persons, and by the agent's when the option says so. What asks is
      // answered by having typed it.
      const actors = options.userBash === true ? (["person", "agent"] as const) : (["person"] as const);
      for (const actor of actors) {
        const decision = engine.evaluate(
          {
            callId: "user_bash",
            chain: [],
            tool: { name: "bash", source: { kind: "builtin" } },
            input: { command: event.command },
            cwd: event.cwd,
            actor,
          },
          gate.history,
        );
        if (decision.effect !== "deny") continue;
        void gate.note("user-bash-denied", `${decision.rule}: ${decision.matched}`);
        return {
          result: {
            output: tellable(decision.modelMessage),
            exitCode: 126,
            cancelled: false,
            truncated: false,
          },
        };
      }
      return undefined;
    });
    if (options.command !== false) {
      pi.registerCommand(options.command ?? "policy", {
        description: "Show the policy, its last decisions and the remembered answers, and revoke them",
        handler: async (args, context) => runPolicyCommand(args, sessionFor(context), context),
      });
    }
  };

  return Object.assign(extension, {
    decisionOf: (callId: string) => session?.gate.decisionOf(callId),
    pausesFor: (callId: string): PauseSource =>
      session?.gate.pausesFor(callId) ?? { subscribe: () => () => undefined },
    recheck: (request: RecheckRequest): Recheck =>
      session?.gate.recheck(request) ?? { ok: false, reason: "Blocked: no policy is in force here." },
    handlers: () => registered,
    layers: () => session?.layers() ?? [],
    state: () => (session === undefined ? undefined : policyState(session)),
  });
}
