import type { RootResult, ScenarioSetup } from "@nestbox/calls/conformance";

/**
 * The result messages of a transcript in the order of the calls. Throws when there is one that answers no call of the
 * model's, or a second one of the same: nested calls add no entry (contract A16).
 */
export function resultsInOrder(
  calls: ScenarioSetup["calls"],
  messages: readonly { readonly role: string }[],
): readonly RootResult[] {
  const results = messages.filter(isToolResult);
  const ordered = calls.flatMap(({ id }) => results.find(({ toolCallId }) => toolCallId === id) ?? []);
  const extra = results.filter((result) => !ordered.includes(result));
  if (extra.length > 0)
    throw new Error(
      `Extra results in the transcript: ${extra.map(({ toolCallId }) => toolCallId).join(", ")}`,
    );
  return ordered;
}

function isToolResult(message: {
  readonly role: string;
}): message is RootResult & { readonly role: "toolResult" } {
  return message.role === "toolResult";
}
