import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createCodemodeExtension } from "@nestbox/codemode/pi";
import { dangers } from "@nestbox/policy";
import { createPolicyExtension } from "@nestbox/policy/pi";
import { createReviewTools } from "@nestbox/review/node";
import { reviewRenderers } from "@nestbox/review/pi";
import { registerTools } from "@nestbox/tool/pi";

const path = fileURLToPath(new URL("../review-guard.policy.jsonc", import.meta.url));

/** Review tools for the model and for scripts, behind one policy. */
export default async function reviewGuard(pi: ExtensionAPI): Promise<void> {
  const policy = createPolicyExtension({ files: [{ path, layer: "user" }] });
  // The dangers that a review looks for are those of the policy as it is when the review runs.
  const tools = createReviewTools({ dangers: () => dangers(policy.layers()) });
  registerTools(pi, tools, { owner: "the review guard" });
  pi.registerToolRenderer(reviewRenderers);
  await createCodemodeExtension({ active: true, decisionOf: (callId) => policy.decisionOf(callId) })(pi);
  // Last, so that it judges what really runs.
  policy(pi);
}
