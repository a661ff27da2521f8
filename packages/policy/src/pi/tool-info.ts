import type { CallRequest, ToolSource } from "@nestbox/tool";

/** What is looked at of Pi's `ToolInfo`. */
export interface PiToolInfo {
  readonly name: string;
  readonly parameters: object;
  readonly exposure?: NonNullable<CallRequest["tool"]["exposure"]>;
  readonly namespace?: NonNullable<CallRequest["tool"]["namespace"]>;
  readonly annotations?: NonNullable<CallRequest["tool"]["annotations"]>;
  readonly sourceInfo: { readonly path: string; readonly source: string };
}

const MCP_PREFIX = "mcp__";

/**
 * Who a tool belongs to. Pi's MCP support names its tools and namespaces `mcp__<server>`, made safe for a model, and
 * keeps the server's own name as the namespace's first alias: that name is the identity.
 */
export function toolSource(info: Pick<PiToolInfo, "name" | "namespace" | "sourceInfo">): ToolSource {
  const { name, namespace, sourceInfo } = info;
  if (name.startsWith(MCP_PREFIX) || namespace?.name.startsWith(MCP_PREFIX) === true) {
    const server =
      namespace?.aliases?.[0] ?? (namespace?.name ?? name).slice(MCP_PREFIX.length).split("__")[0];
    return { kind: "mcp", server: server ?? "" };
  }
  if (sourceInfo.source === "builtin") return { kind: "builtin" };
  if (sourceInfo.source === "sdk") return { kind: "sdk" };
  return { kind: "extension", id: sourceInfo.path };
}

/** A tool as the policy sees it. One that Pi does not list has no source, so nothing about it is believed. */
export function toolOf(name: string, tools: readonly PiToolInfo[]): CallRequest["tool"] {
  const info = tools.find((tool) => tool.name === name);
  if (info === undefined) return { name };
  return {
    name,
    source: toolSource(info),
    parameters: info.parameters,
    ...(info.namespace === undefined ? {} : { namespace: info.namespace }),
    ...(info.exposure === undefined ? {} : { exposure: info.exposure }),
    ...(info.annotations === undefined ? {} : { annotations: info.annotations }),
  };
}
