import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { createToolHost, type ToolHost } from "@nestbox/calls";
import { createGate, dangers } from "@nestbox/policy";
import { openPolicy } from "@nestbox/policy/node";
import { createReviewTools } from "@nestbox/review/node";

const path = fileURLToPath(new URL("../review.policy.jsonc", import.meta.url));

/** The review tools for one project, with a policy in front of every call. Nobody can be asked: an ask is a deny. */
export function reviewHost(cwd: string): ToolHost {
  const policy = openPolicy({ files: [{ path, layer: "user" }], home: homedir(), cwd });
  const gate = createGate({ engine: policy.engine, facts: policy.facts });
  const host = createToolHost({ cwd, gate, pauses: gate.pauses });
  const tools = createReviewTools({ dangers: () => dangers(policy.layers()) });
  for (const tool of tools) host.register(tool, { source: { kind: "module" } });
  return host;
}
