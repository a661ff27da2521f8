export { runTool, type RunToolOptions, type ToolRun } from "./run-tool.ts";
export { call, type ScriptedCall, type ScriptedReply } from "./scripted-model.ts";
export {
  scriptedPiSession,
  type ScriptedPiSession,
  type ScriptedPiSessionOptions,
  type ScriptedPromptOptions,
} from "./scripted-session.ts";
export { toolFaults } from "./tool-faults.ts";
export type { SessionCall } from "./session-calls.ts";
export {
  createScriptedUi,
  never,
  type Answers,
  type DialogQuestion,
  type DialogRecord,
  type ScriptedUi,
  type ScriptedUiAnswers,
} from "./scripted-ui.ts";
