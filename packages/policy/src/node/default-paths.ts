import { join } from "node:path";

import type { PolicyFile } from "./policy-file.ts";

/** Where policies, grants and audit logs are kept unless a host says otherwise. */
export interface PolicyPaths {
  readonly files: readonly PolicyFile[];
  readonly grants: string;
  readonly auditDir: string;
}

/**
 * The usual places: `/etc/nestbox/policy.jsonc` (managed), `policy.jsonc` in the agent folder (user) and in the
 * project's `.pi` (project); grants and audit logs in the agent folder.
 */
export function defaultPolicyPaths(options: {
  /** Pi's folder of the user, for example `~/.pi/agent`. */
  readonly agentDir: string;
  /** The project's folder. */
  readonly cwd: string;
}): PolicyPaths {
  const { agentDir, cwd } = options;
  return {
    files: [
      { path: "/etc/nestbox/policy.jsonc", layer: "managed" },
      { path: join(agentDir, "policy.jsonc"), layer: "user" },
      { path: join(cwd, ".pi", "policy.jsonc"), layer: "project" },
    ],
    grants: join(agentDir, "nestbox", "grants.json"),
    auditDir: join(agentDir, "nestbox", "audit"),
  };
}
