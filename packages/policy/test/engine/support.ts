import type { CallRequest, JsonObject, ToolSource } from "@nestbox/tool";

import {
  createEngine,
  type EngineOptions,
  type LayerName,
  parsePolicy,
  type PolicyLayer,
} from "../../src/index.ts";

/** A policy as its author writes it. */
export type PolicyText = string | { readonly [key: string]: unknown };

/** Parses one layer; a policy that does not load fails the test. */
export function layer(name: LayerName, policy: PolicyText): PolicyLayer {
  const source = typeof policy === "string" ? policy : JSON.stringify({ version: 1, ...policy });
  const result = parsePolicy(source, { file: `${name}.jsonc`, layer: name });
  if (!result.ok)
    throw new Error(
      result.problems.map((problem) => `${problem.line}:${problem.column} ${problem.message}`).join("\n"),
    );
  return { ok: true, name, policy: result.policy };
}

export function engineOf(layers: readonly PolicyLayer[], options: Partial<EngineOptions> = {}) {
  return createEngine({ layers, home: "/home/u", cwd: "/w", ...options });
}

let calls = 0;

/** One call of a tool; the built-in ones say that they are. */
export function call(
  name: string,
  input: JsonObject = {},
  more: Partial<CallRequest> & { readonly source?: ToolSource } = {},
): CallRequest {
  const { source, tool, ...rest } = more;
  calls += 1;
  const builtin = [
    "read",
    "write",
    "edit",
    "bash",
    "powershell",
    "grep",
    "find",
    "ls",
    "codemode",
    "tool_search",
  ].includes(name);
  const known: ToolSource | undefined = source ?? (builtin ? { kind: "builtin" } : undefined);
  return {
    callId: `call-${calls}`,
    chain: [],
    tool: { name, ...(known === undefined ? {} : { source: known }), ...tool },
    input,
    cwd: "/w",
    ...rest,
  };
}
