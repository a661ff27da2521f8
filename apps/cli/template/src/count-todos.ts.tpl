import { dataResult, defineTool } from "@nestbox/tool";
import { readInside } from "@nestbox/tool/node";
import { Type } from "typebox";

export const countTodos = defineTool({
  name: "count_todos",
  label: "Count TODOs",
  description:
    "Counts the lines of one text file that say TODO or FIXME. Call it to know how much is left to do in a file; it returns the count and the lines. To read the file itself use read.",
  parameters: Type.Object({ path: Type.String({ description: "Relative to the project", minLength: 1 }) }),
  // Scripts and other tools get this; the model reads the text.
  outputSchema: Type.Object({ count: Type.Integer(), lines: Type.Array(Type.Integer()) }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  async execute(_id, { path }, _signal, _onUpdate, context) {
    // Refuses what leads out of the project: "..", an absolute path, a link.
    const text = await readInside(context?.cwd ?? process.cwd(), path);
    const lines = text.split("\n").flatMap((line, index) => (/\b(TODO|FIXME)\b/.test(line) ? [index + 1] : []));
    return dataResult({ count: lines.length, lines });
  },
});
