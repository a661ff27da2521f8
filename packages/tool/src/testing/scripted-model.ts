import {
  fauxAssistantMessage,
  fauxText,
  fauxToolCall,
  type FauxResponseStep,
} from "@earendil-works/pi-ai/providers/faux";
import type { AssistantMessage, Message } from "@earendil-works/pi-ai";
import type { JsonObject } from "../json.ts";

/** A tool call of the scripted model. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: JsonObject;
  /** Default: `call-1`, `call-2`, … in the order of the script. */
  readonly id?: string;
}

/** One turn of the scripted model: text, one call, several calls at once, or a function of what it reads. */
export type ScriptedReply =
  | string
  | ScriptedCall
  | readonly (string | ScriptedCall)[]
  | ((messages: readonly Message[]) => string | ScriptedCall | readonly (string | ScriptedCall)[]);

/** Writes one call of the scripted model. */
export function call(name: string, args: JsonObject = {}, id?: string): ScriptedCall {
  return id === undefined ? { name, args } : { name, args, id };
}

/** What Pi's faux provider plays for one reply. */
export function toStep(reply: ScriptedReply, nextId: () => string): FauxResponseStep {
  if (typeof reply === "function") return ({ messages }) => toMessage(reply(messages), nextId);
  return toMessage(reply, nextId);
}

function toMessage(
  reply: string | ScriptedCall | readonly (string | ScriptedCall)[],
  nextId: () => string,
): AssistantMessage {
  const parts = typeof reply === "string" || "name" in reply ? [reply] : reply;
  const blocks = parts.map((part) =>
    typeof part === "string"
      ? fauxText(part)
      : fauxToolCall(part.name, { ...part.args }, { id: part.id ?? nextId() }),
  );
  const calls = blocks.some((block) => block.type === "toolCall");
  return fauxAssistantMessage(blocks, { stopReason: calls ? "toolUse" : "stop" });
}
