import { fileURLToPath } from "node:url";

import { type ExtensionAPI, getAgentDir } from "@earendil-works/pi-coding-agent";
import { defaultPolicyPaths } from "@nestbox/policy/node";
import { createPolicyExtension } from "@nestbox/policy/pi";
import { registerTools } from "@nestbox/tool/pi";

import { countTodos } from "./count-todos.ts";

const ownPolicy = fileURLToPath(new URL("../policy.jsonc", import.meta.url));

export default function extension(pi: ExtensionAPI): void {
  registerTools(pi, [countTodos], { owner: "{{name}}" });
  // Last, so that it judges what really runs. Its own rules count together with the user's and the project's.
  createPolicyExtension({
    files: ({ cwd }) => [
      ...defaultPolicyPaths({ agentDir: getAgentDir(), cwd }).files,
      { path: ownPolicy, layer: "user", required: true },
    ],
  })(pi);
}
