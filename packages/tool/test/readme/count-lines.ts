import { int, obj, str } from "@earendil-works/pi-schema";
import { dataResult, defineTool } from "@nestbox/tool";
import { readInside } from "@nestbox/tool/node";

export const countLines = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file. Use it instead of reading a file only to count them.",
  parameters: obj({ path: str({ description: "Relative to the project" }) }),
  outputSchema: obj({ lines: int() }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async execute(_id, { path }, _signal, _onUpdate, context) {
    const text = await readInside(context?.cwd ?? ".", path);
    return dataResult({ lines: text.split("\n").length });
  },
});
