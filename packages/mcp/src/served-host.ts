import type { CallableTool, ToolCallOutcome, ToolUpdateCallback } from "@nestbox/tool";

/** What is served: the `ToolHost` of `@nestbox/calls` fits it as it is, with its policy in front of every call. */
export interface ServedHost {
  /** The tools that clients are told of. */
  declared(): readonly CallableTool[];
  /** Never rejects for a tool's failure. */
  call(
    name: string,
    args: unknown,
    options: { readonly signal: AbortSignal; readonly onUpdate: ToolUpdateCallback; readonly actor: "agent" },
  ): Promise<ToolCallOutcome>;
}
