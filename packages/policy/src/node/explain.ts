import type { CallRequest, JsonValue, ToolAnnotations } from "@nestbox/tool";

import type { Decision, PartDecision, PolicyEngine } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { toPlainJson } from "../gate/fingerprint.ts";
import { isRecord } from "../is-record.ts";

/** A decision as plain data, for `--json`, for tests and for people. Texts of the call are escaped. */
export interface Explanation {
  readonly effect: Decision["effect"];
  readonly rule: string;
  readonly layer: string;
  readonly matched: string;
  readonly reason: string;
  readonly personOnly: boolean;
  readonly modelMessage: string;
  readonly personMessage: string;
  readonly parts: readonly PartDecision[];
  readonly commands: readonly {
    readonly source: string;
    readonly program?: string;
    readonly wrappers: readonly string[];
    readonly subcommand: readonly string[];
    readonly flags: readonly string[];
    readonly known: boolean;
    readonly readOnly: boolean;
    readonly opaque?: string;
  }[];
  readonly resources: readonly {
    readonly action: string;
    readonly kind: string;
    readonly value?: string;
    readonly origin: string;
  }[];
  readonly doubts: readonly { readonly kind: string; readonly message: string }[];
  /** What else is worth knowing: an allow that fits and does not count. Only where the engine can tell. */
  readonly notes: readonly string[];
}

/** A policy that can be explained; `OpenPolicy` is one. */
export interface ExplainablePolicy {
  readonly engine: PolicyEngine;
  /** The engine as it would judge if projects might loosen. */
  readonly loosened: PolicyEngine;
}

export interface ExplainOptions {
  /** Folder in which the command would run. */
  readonly cwd: string;
  /** Tool that would run it. Default `bash`. */
  readonly tool?: string;
}

/** What the policy says about one command line. Nothing is run. */
export function explainCommand(
  policy: PolicyEngine | ExplainablePolicy,
  command: string,
  options: ExplainOptions,
): Explanation {
  return explainRequest(policy, {
    callId: "explain",
    chain: [],
    tool: { name: options.tool ?? "bash", source: { kind: "builtin" } },
    input: { command },
    cwd: options.cwd,
    actor: "agent",
  });
}

function explainRequest(policy: PolicyEngine | ExplainablePolicy, request: CallRequest): Explanation {
  if ("evaluate" in policy) return explain(policy.evaluate(request));
  const decision = policy.engine.evaluate(request);
  return explain(decision, decision.effect === "allow" ? undefined : policy.loosened.evaluate(request));
}

/** @param loosened how it would be decided if projects might loosen */
export function explain(decision: Decision, loosened?: Decision): Explanation {
  const { subject } = decision;
  const resources = [...subject.resources, ...subject.commands.flatMap((command) => command.resources)];
  return {
    effect: decision.effect,
    rule: decision.rule,
    layer: decision.layer,
    matched: decision.matched,
    reason: decision.reason,
    personOnly: decision.personOnly === true,
    modelMessage: decision.modelMessage,
    personMessage: decision.personMessage,
    parts: decision.parts,
    commands: subject.commands.map((command) => ({
      source: showText(command.source),
      ...(command.program === undefined ? {} : { program: showText(command.program) }),
      wrappers: command.wrappers,
      subcommand: command.subcommand.map((word) => showText(word)),
      flags: command.flags.map(({ name, value }) =>
        showText(value === undefined ? name : `${name}=${value.value ?? value.raw}`),
      ),
      known: command.known,
      readOnly: command.readOnly,
      ...(command.opaque === undefined ? {} : { opaque: command.opaque }),
    })),
    resources: unique(
      resources.map((resource) => ({
        action: resource.action,
        kind: resource.kind,
        ...(resource.value === undefined ? {} : { value: showText(resource.value) }),
        origin: showText(resource.origin),
      })),
    ),
    doubts: subject.doubts.map(({ kind, message }) => ({ kind, message: showText(message) })),
    notes: notesOf(decision, loosened),
  };
}

/** Most notes of one explanation. */
const MAX_NOTES = 20;

/** Whoever wrote an allow into a project's file wonders why it does nothing. */
function notesOf(decision: Decision, loosened: Decision | undefined): readonly string[] {
  const allowed = ({ parts }: Decision): readonly PartDecision[] =>
    parts.filter(({ effect, layer }) => effect === "allow" && layer === "project");
  // Where projects may loosen, both say the same.
  const counts = new Set(allowed(decision).map(({ rule }) => rule));
  const own = loosened === undefined ? [] : allowed(loosened).filter(({ rule }) => !counts.has(rule));
  return [
    ...new Set(
      own.map(({ rule, matched }) => {
        const what = rule === "default.fallback" ? "the project's fallback" : `the project's rule ${rule}`;
        return `${what} fits ${matched}, but an allow of a project counts only where the user's or the managed policy says "projectMayLoosen": true`;
      }),
    ),
  ].slice(0, MAX_NOTES);
}

export type CheckResult =
  | { readonly ok: true; readonly explanation: Explanation }
  | { readonly ok: false; readonly message: string };

/**
 * What the policy says about one call, given as data:
 * `{ "tool": "bash", "input": { … }, "cwd"?, "source"?: "builtin" | "extension" | "sdk", "server"?, "annotations"?,
 * "calledBy"?: ["codemode"] }`. Nothing is run.
 */
export function checkCall(
  policy: PolicyEngine | ExplainablePolicy,
  call: unknown,
  options: { readonly cwd: string },
): CheckResult {
  const request = readCall(call, options.cwd);
  if (typeof request === "string") return { ok: false, message: request };
  return { ok: true, explanation: explainRequest(policy, request) };
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** A call as data; a text says what is wrong with it. */
export function readCall(call: unknown, cwd: string): CallRequest | string {
  const plain = toPlainJson(call);
  if (!plain.ok || !isRecord(plain.value)) return "the call is not a JSON object";
  const { tool, input = {}, cwd: own, source, server, annotations, calledBy } = plain.value;
  if (typeof tool !== "string" || tool === "") return "tool: the name of a tool is missing";
  if (!isRecord(input)) return "input: not an object";
  if (own !== undefined && typeof own !== "string") return "cwd: not a text";
  if (server !== undefined && typeof server !== "string") return "server: not a text";
  if (source !== undefined && source !== "builtin" && source !== "extension" && source !== "sdk") {
    return "source: none of builtin, extension and sdk";
  }
  const callers = calledBy ?? [];
  if (!Array.isArray(callers)) return "calledBy: not a list";
  const chain: { readonly callId: string; readonly toolName: string }[] = [];
  for (const [index, toolName] of (callers as readonly JsonValue[]).entries()) {
    if (typeof toolName !== "string") return "calledBy: not a list of names";
    chain.push({ callId: `caller-${index + 1}`, toolName });
  }
  const hints = readHints(annotations);
  if (typeof hints === "string") return hints;
  return {
    callId: "check",
    chain,
    tool: {
      name: tool,
      source: typeof server === "string" ? { kind: "mcp", server } : { kind: source ?? "builtin" },
      ...(hints === undefined ? {} : { annotations: hints }),
    },
    input,
    cwd: own ?? cwd,
    actor: "agent",
  };
}

function readHints(value: JsonValue | undefined): ToolAnnotations | string | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return "annotations: not an object";
  const hints: Partial<Record<(typeof HINTS)[number], boolean>> = {};
  for (const [name, hint] of Object.entries(value)) {
    const known = HINTS.find((candidate) => candidate === name);
    if (known === undefined || typeof hint !== "boolean") return `annotations: ${name} is no hint`;
    hints[known] = hint;
  }
  return hints;
}

function unique<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
