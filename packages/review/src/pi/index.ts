export { reviewRenderers, withReviewRenderers } from "./renderers.ts";
