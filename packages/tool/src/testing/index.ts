export { runTool, type RunToolOptions, type StructuredContentOf, type ToolRun } from "./run-tool.ts";
export {
  call,
  scriptedPiSession,
  type ScriptedCall,
  type ScriptedPiSession,
  type ScriptedPiSessionOptions,
  type ScriptedReply,
} from "./scripted-session.ts";
export {
  createScriptedUi,
  never,
  type Answers,
  type DialogQuestion,
  type DialogRecord,
  type ScriptedUi,
  type ScriptedUiAnswers,
} from "./scripted-ui.ts";
