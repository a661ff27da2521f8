import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { obj, oneOf, str } from "@earendil-works/pi-schema";
import { createToolHost, type ToolHost } from "@nestbox/calls";
import { createGate, type GateOptions, type PolicyGate } from "@nestbox/policy";
import { openPolicy } from "@nestbox/policy/node";
import { defineTool, textResult } from "@nestbox/tool";

const path = fileURLToPath(new URL("../deploy.policy.jsonc", import.meta.url));

export interface DeployHostOptions extends Pick<
  GateOptions,
  "approver" | "timeout" | "onStop" | "onStillWaiting"
> {
  readonly cwd: string;
  /** The effect. */
  readonly deploy: (version: string, target: string) => Promise<void>;
}

export interface DeployHost {
  readonly host: ToolHost;
  /**
   * `gate.beginRun()` begins a task: what is declined in it is not asked again until the next one begins. Where it is
   * never called, every call of the host is a task of its own.
   */
  readonly gate: PolicyGate;
}

/** A host with one tool, and a policy in front of it whose questions go to `approver`. */
export function deployHost({ cwd, deploy, ...asking }: DeployHostOptions): DeployHost {
  const policy = openPolicy({ files: [{ path, layer: "user" }], home: homedir(), cwd });
  const gate = createGate({ engine: policy.engine, facts: policy.facts, ...asking });
  // Clocks of the host stop while somebody is asked.
  const host = createToolHost({ cwd, gate, pauses: gate.pauses });
  host.register(
    defineTool({
      name: "deploy",
      description: "Deploys a version. Call it when the user asks for it; returns what is deployed where.",
      parameters: obj({ version: str({ maxLength: 20 }), target: oneOf(["staging", "production"]) }),
      async execute(_id, { version, target }) {
        await deploy(version, target);
        return textResult(`${version} is on ${target}`);
      },
    }),
  );
  return { host, gate };
}
