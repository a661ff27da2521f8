export { createCallTracker, type CallTracker } from "./call-tracker.ts";
export { policyLines, type PolicyState } from "./command.ts";
export {
  CHOICES,
  createDialogApprover,
  SCOPES,
  type DialogApproverOptions,
  type DialogUi,
} from "./dialog.ts";
export { createPolicyExtension, type PolicyExtension } from "./extension.ts";
export {
  createPolicyHandlers,
  type ChangedResult,
  type HandlerContext,
  type PolicyHandlers,
  type PolicyHandlersOptions,
  type ToolCallInput,
  type ToolResultInput,
} from "./handlers.ts";
export type { PolicyFilesOptions } from "./policy-files.ts";
export type { PolicyExtensionOptions } from "./session.ts";
export { toolSource, type PiToolInfo } from "./tool-info.ts";
