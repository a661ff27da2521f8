import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { modelTextLimits, truncateText, type ToolContent } from "@nestbox/tool";

/** Keeps a text outside the transcript and gives its path. */
export type SaveOutput = (text: string) => Promise<string>;

/**
 * What a model reads of an MCP result: text and images as they are, everything else in words. Text is cut to what Pi
 * gives a model; scripts get all of it. Without content blocks, the structured content as JSON.
 */
export async function modelContent(result: CallToolResult, saveOutput?: SaveOutput): Promise<ToolContent[]> {
  const blocks: ToolContent[] =
    result.content.length === 0 && result.structuredContent !== undefined
      ? [{ type: "text" as const, text: JSON.stringify(result.structuredContent) }]
      : result.content.map(blockOf);
  return Promise.all(
    blocks.map(async (block) =>
      block.type === "text" ? { ...block, text: await cut(block.text, saveOutput) } : block,
    ),
  );
}

function blockOf(block: ContentBlock): ToolContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", data: block.data, mimeType: block.mimeType };
    case "audio":
      return { type: "text", text: `[Audio, ${block.mimeType}]` };
    case "resource_link":
      return { type: "text", text: `[Resource ${block.uri} "${block.title ?? block.name}"]` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return { type: "text", text: resource.text };
      const { mimeType = "unknown type", blob, uri } = resource;
      if (mimeType.startsWith("image/")) return { type: "image", data: blob, mimeType };
      return { type: "text", text: `[Binary resource ${uri}, ${mimeType}]` };
    }
  }
}

/** A cut text names the file with the whole of it, where the caller keeps files (contract A12). */
async function cut(text: string, saveOutput: SaveOutput | undefined): Promise<string> {
  const short = truncateText(text, modelTextLimits);
  if (!short.truncated || saveOutput === undefined) return short.text;
  const fullOutputPath = await saveOutput(text);
  return truncateText(text, { ...modelTextLimits, fullOutputPath }).text;
}
