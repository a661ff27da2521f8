export { createReviewTools, type ReviewTool } from "./create-review-tools.ts";
export type { ReviewToolsOptions } from "./options.ts";
