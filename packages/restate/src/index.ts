export { openRestateAdmin, type RestateAdmin, type RestateAdminOptions, type RunStatus } from "./admin.ts";
export type { BlobStore } from "./blobs.ts";
export { RestateError, type RestateErrorCode } from "./errors.ts";
export type { RestateQuestion } from "./reading.ts";
export { openRestate, type RestateOptions, type RestateRuns } from "./runs.ts";
