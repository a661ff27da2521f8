import { JournalError, type JournalErrorCode } from "@nestbox/codemode/durable";

export { messageOf } from "@nestbox/tool";

export type DbosErrorCode = JournalErrorCode;

export class DbosError extends JournalError {
  override readonly name = "DbosError";
}
