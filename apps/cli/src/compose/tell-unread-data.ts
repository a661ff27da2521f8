import type { ToolHost } from "@nestbox/calls";

import { oneLine } from "../report/safe-text.ts";

/** Tools that are named; more would hide the rest. */
const MAX_TOLD = 20;

/**
 * Says once for each tool that its `structuredContent` reaches no script, because it declares no `outputSchema`: its
 * author meant data, and a script gets the text for the model (contract A9).
 */
export function tellUnreadData(host: ToolHost, warn: (message: string) => void): void {
  const told = new Set<string>();
  host.subscribe((event) => {
    if (event.type !== "tool_execution_end" || event.result.structuredContent === undefined) return;
    if (told.has(event.toolName) || told.size >= MAX_TOLD) return;
    const tool = host.registered().find(({ name }) => name === event.toolName);
    if (tool === undefined || tool.outputSchema !== undefined) return;
    told.add(event.toolName);
    warn(
      `${oneLine(event.toolName, 100)} returned structuredContent, and scripts get its text instead: the tool declares no outputSchema`,
    );
  });
}
