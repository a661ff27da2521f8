import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createReviewTools } from "@nestbox/review/node";
import { reviewRenderers } from "@nestbox/review/pi";
import { registerTools } from "@nestbox/tool/pi";

export default function review(pi: ExtensionAPI): void {
  registerTools(pi, createReviewTools({ dangers: [] }));
  pi.registerToolRenderer(reviewRenderers);
}
