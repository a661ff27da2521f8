/** Name of the tool: Pi lets an extension's tool of this name take the place of its own. */
export const CODEMODE_TOOL_NAME = "codemode";

/** Custom entry type of what scripts store; the same as the built-in tool's, so that values survive a switch. */
export const STORE_ENTRY_TYPE = "codemode-store";
