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
}

export interface ExplainOptions {
  /** Folder in which the command would run. */
  readonly cwd: string;
  /** Tool that would run it. Default `bash`. */
  readonly tool?: string;
}

/** What the policy says about one command line. Nothing is run. */
export function explainCommand(engine: PolicyEngine, command: string, options: ExplainOptions): Explanation {
  return explain(
    engine.evaluate({
      callId: "explain",
      chain: [],
      tool: { name: options.tool ?? "bash", source: { kind: "builtin" } },
      input: { command },
      cwd: options.cwd,
      actor: "agent",
    }),
  );
}

export function explain(decision: Decision): Explanation {
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
  };
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
  engine: PolicyEngine,
  call: unknown,
  options: { readonly cwd: string },
): CheckResult {
  const request = readCall(call, options.cwd);
  if (typeof request === "string") return { ok: false, message: request };
  return { ok: true, explanation: explain(engine.evaluate(request)) };
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
