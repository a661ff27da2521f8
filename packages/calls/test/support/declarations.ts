import type { Declaration } from "@nestbox/calls/conformance";

interface SystemLike {
  readonly role: string;
  readonly toolsAdded?: readonly Declaration[];
  readonly toolsRemoved?: readonly { readonly name: string }[];
}

/** The tools that a transcript declares, in the order in which they came. */
export function declarationsOf(messages: readonly object[]): readonly Declaration[] {
  const tools = new Map<string, Declaration>();
  for (const message of messages as readonly SystemLike[]) {
    for (const { name } of message.toolsRemoved ?? []) tools.delete(name);
    for (const { name, description } of message.toolsAdded ?? []) tools.set(name, { name, description });
  }
  return [...tools.values()];
}
