import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, Decision, PartDecision, PolicyEngine } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { modelMessage, personMessage } from "../explain/messages.ts";
import type { CallSubject } from "../subject.ts";
import { compileLayers } from "./compile.ts";
import { judgeTool } from "./judge-tool.ts";
import type { EngineOptions } from "./options.ts";
import type { EngineParts } from "./parts.ts";
import { strictest } from "./strictest.ts";

const denyOnError = "engine.error";

/**
 * Makes the decision engine: deny before ask before allow over all layers, in any order; nothing matched: the
 * layers' fallback for the tool, else the annotations (contract A6, A7). Pure and total: the same request, history
 * and file system give the same decision, and an error inside is a deny (`engine.error`), never a throw.
 *
 * A policy file is JSON with comments; `policy.schema.json` describes it:
 *
 * ```jsonc
 * {
 *   "version": 1,
 *   "fallback": { "bash": "allow", "*": "ask" },
 *   "preset": { "git.force-push": { "effect": "deny" }, "secrets.read": false },
 *   "tools": { "exec_command": { "shell": { "argument": "cmd", "cwd": "workdir" } } },
 *   "trust": { "mcpServers": ["docs"] },
 *   "rules": [
 *     { "id": "no-rm", "effect": "deny", "command": { "program": "rm", "flags": { "any": "-r" } }, "match": "rm -rf x" },
 *     { "id": "env", "effect": "deny", "path": { "glob": ".env*", "action": "read" }, "except": { "path": ".env.example" } },
 *     { "id": "tests", "effect": "allow", "command": [{ "exact": "npm test" }, { "prefix": "npx vitest" }] },
 *     { "id": "docs", "effect": "allow", "tool": { "server": "docs", "name": "*" } },
 *     { "id": "budget", "effect": "ask", "tool": "bash", "limit": { "calls": 50, "per": "script" } }
 *   ]
 * }
 * ```
 */
export function createEngine(options: EngineOptions): PolicyEngine {
  const parts = compileLayers(options);
  return {
    evaluate(request, history) {
      try {
        return evaluate(parts, request, history);
      } catch (error) {
        // Fail closed: whatever went wrong in here, the call does not run.
        return failed(request, error);
      }
    },
  };
}

function evaluate(engine: EngineParts, request: CallRequest, _history: CallHistory | undefined): Decision {
  const subject: CallSubject = { request, resources: [], commands: [], doubts: [], rawWords: [] };
  const parts: PartDecision[] = judgeTool(engine, request);
  return decide(request, parts, subject, engine.instead);
}

function decide(
  request: CallRequest,
  parts: readonly PartDecision[],
  subject: CallSubject,
  instead: EngineParts["instead"],
): Decision {
  const deciding = strictest(parts) ?? {
    effect: "ask" as const,
    rule: "default.unknown",
    layer: "built-in" as const,
    matched: showText(request.tool.name),
    reason: "nothing is known about this call",
  };
  return {
    ...deciding,
    ...(parts.some((part) => part.effect !== "allow" && part.personOnly === true)
      ? { personOnly: true }
      : {}),
    parts,
    modelMessage: modelMessage(deciding, instead(deciding)),
    personMessage: personMessage(showText(request.tool.name), deciding, parts),
    subject,
  };
}

function failed(request: CallRequest, error: unknown): Decision {
  const part: PartDecision = {
    effect: "deny",
    rule: denyOnError,
    layer: "built-in",
    matched: "the call",
    reason: `The policy engine failed: ${showText(error instanceof Error ? error.message : "unknown error")}`,
  };
  return {
    ...part,
    parts: [part],
    modelMessage: modelMessage(part, "tell the person that the policy engine failed"),
    personMessage: personMessage("a call", part, [part]),
    subject: { request, resources: [], commands: [], doubts: [], rawWords: [] },
  };
}
