import { JournalError, type JournalErrorCode } from "@nestbox/codemode/durable";

export { messageOf } from "@nestbox/tool";

export type RestateErrorCode = JournalErrorCode;

export class RestateError extends JournalError {
  override readonly name = "RestateError";
}
