import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createPolicyExtension } from "@nestbox/policy/pi";
import { registerTools } from "@nestbox/tool/pi";
import { publishBranch } from "./publish-branch.ts";

const path = fileURLToPath(new URL("../guard.policy.jsonc", import.meta.url));

export default function releaseExtension(pi: ExtensionAPI): void {
  registerTools(pi, [publishBranch], { owner: "the release extension" });
  // The guard. Last, so that it judges what really runs.
  createPolicyExtension({ files: [{ path, layer: "user" }] })(pi);
}
