import { createEngine, parsePolicy, type PolicyEngine } from "@nestbox/policy";
import { nodePolicyFs } from "@nestbox/policy/node";
import type { CallRequest } from "@nestbox/tool";

import { measure, table } from "./measure.ts";

const RULES = 200;

/** A policy of 200 rules: a third about tools, a third about paths, a third about commands. */
function manyRules(): string {
  const rules = Array.from({ length: RULES }, (_, index) => {
    const id = `rule-${index}`;
    if (index % 3 === 0) return { id, effect: "allow", tool: `tool_${index}` };
    if (index % 3 === 1) return { id, effect: "deny", path: { glob: `secret-${index}/**`, action: "read" } };
    return { id, effect: "allow", command: { prefix: `program-${index} run` } };
  });
  const own = [
    { id: "git-read", effect: "allow", command: { program: "git", readOnly: true } },
    { id: "filters", effect: "allow", command: { program: ["grep", "head", "sort", "wc"], readOnly: true } },
  ];
  return JSON.stringify({ version: 1, rules: [...rules, ...own] });
}

function engineOf(cwd: string): PolicyEngine {
  const parsed = parsePolicy(manyRules(), { file: "bench.jsonc", layer: "user" });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  return createEngine({
    layers: [{ ok: true, name: "user", policy: parsed.policy }],
    fs: nodePolicyFs(),
    home: "/home/u",
    cwd,
  });
}

/** Decisions about a tool rule, a path rule and a line of five commands, with a policy of 200 rules. */
export async function benchPolicy(): Promise<string> {
  const cwd = process.cwd();
  const engine = engineOf(cwd);
  const request = (name: string, input: CallRequest["input"]): CallRequest => ({
    callId: "bench",
    chain: [],
    tool: { name, source: { kind: "builtin" } },
    input,
    cwd,
  });
  const line = "git log --oneline -20 | grep -v merge | sort | head -5 && git diff --stat | wc -l";
  const calls = [
    ["tool rule", request("tool_150", {})],
    ["path rule", request("read", { path: "src/measure.ts" })],
    ["line of five commands", request("bash", { command: line })],
  ] as const;
  const rows = await measure(
    calls.map(([name, call]) => ({ name, run: () => engine.evaluate(call) })),
    { rounds: 40, inner: 200 },
  );
  const perSecond = rows.map(
    (row) => `${row.name}: ${Math.round(1000 / row.median).toLocaleString("en")} decisions a second`,
  );
  return [table(`one decision, ${RULES} rules`, rows), ...perSecond].join("\n");
}
