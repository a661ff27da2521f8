const MAX_READ_CHARS = 1_000;

/**
 * The end of a call as a trace reads it, with a word for why it did not run. Pi times only what runs, and what it says
 * of the rest is one text: not found, arguments that do not fit, an aborted run, and else the reason of whichever
 * extension blocked it. Other events are handed on as they are.
 */
export function withFailure(event: unknown): unknown {
  if (typeof event !== "object" || event === null) return event;
  const read = (key: string): unknown => Reflect.get(event, key);
  if (read("type") !== "tool_execution_end" || read("isError") !== true) return event;
  if (read("durationMs") !== undefined || read("failure") !== undefined) return event;
  return { ...event, failure: whyNotRun(String(read("toolName")), textOf(read("result"))) };
}

function whyNotRun(name: string, text: string): "not-found" | "invalid-arguments" | "cancelled" | "denied" {
  if (text === `Tool ${name} not found`) return "not-found";
  if (text.startsWith("Validation failed")) return "invalid-arguments";
  return text === "Operation aborted" ? "cancelled" : "denied";
}

function textOf(result: unknown): string {
  if (typeof result !== "object" || result === null) return "";
  const content: unknown = Reflect.get(result, "content");
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  if (typeof first !== "object" || first === null) return "";
  const text: unknown = Reflect.get(first, "text");
  return typeof text === "string" ? text.slice(0, MAX_READ_CHARS) : "";
}
