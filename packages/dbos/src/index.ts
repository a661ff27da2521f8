export { DbosError, type DbosErrorCode } from "./errors.ts";
