import type { HostEvent } from "@nestbox/calls";
import type { CallDecision } from "@nestbox/tool";

/** One call of a run, with the calls that it made. */
export interface CallNode {
  readonly id: string;
  readonly name: string;
  status: "running" | "ok" | "error" | "denied" | "cancelled";
  durationMs?: number;
  decision?: CallDecision;
  error?: string;
  readonly children: CallNode[];
}

/** Nodes of the tree that are kept; later calls are counted, not kept. */
const MAX_NODES = 2_000;

/** Builds the tree of calls from the host's events. */
export function createCallTree(): {
  readonly roots: readonly CallNode[];
  readonly dropped: () => number;
  readonly listen: (event: HostEvent) => void;
} {
  const roots: CallNode[] = [];
  const nodes = new Map<string, CallNode>();
  let dropped = 0;
  return {
    roots,
    dropped: () => dropped,
    listen(event) {
      if (event.type === "tool_execution_start") {
        if (nodes.size >= MAX_NODES) {
          dropped += 1;
          return;
        }
        const node: CallNode = {
          id: event.toolCallId,
          name: event.toolName,
          status: "running",
          children: [],
        };
        nodes.set(node.id, node);
        const parent = event.parentToolCallId === undefined ? undefined : nodes.get(event.parentToolCallId);
        (parent?.children ?? roots).push(node);
      } else if (event.type === "tool_execution_end") {
        const node = nodes.get(event.toolCallId);
        if (node === undefined) return;
        node.status = event.decision?.effect === "deny" ? "denied" : event.isError ? "error" : "ok";
        if (event.durationMs !== undefined) node.durationMs = event.durationMs;
        if (event.decision !== undefined) node.decision = event.decision;
      }
    },
  };
}
