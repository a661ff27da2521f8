import { checkResult } from "../check-result.ts";
import type { RunnableTool } from "../definition.ts";
import { ToolError } from "../error.ts";
import { toolNameFault } from "../name.ts";
import { compileSchema } from "../schema.ts";
import { runTool, type RunToolOptions } from "./run-tool.ts";

/**
 * Holds any tool, made with `defineTool` or not, to what hosts and models rely on, by running it twice with arguments
 * that are valid: once cancelled before it begins, once to its end. Gives one line for each promise that is broken, and
 * an empty list for a good tool.
 */
export async function toolFaults(
  tool: RunnableTool,
  validArgs: unknown,
  options: Omit<RunToolOptions, "abortAfterUpdates"> = {},
): Promise<readonly string[]> {
  const faults = [...definitionFaults(tool)];
  // The two runs need schemas that compile.
  if (faults.length > 0) return faults;
  const output = tool.outputSchema === undefined ? undefined : compileSchema(tool.outputSchema);

  const cancelled = await runTool<object | undefined, unknown>(tool, validArgs, {
    ...options,
    abortAfterUpdates: 0,
  });
  if (cancelled.kind === "invalid") return [`The arguments are not valid: ${cancelled.message}`];
  if (cancelled.kind !== "aborted")
    faults.push("With a signal that is aborted already, execute does not reject with AbortError.");
  if (cancelled.updates.length > 0)
    faults.push("With a signal that is aborted already, execute tells progress.");

  const run = await runTool<object | undefined, unknown>(tool, validArgs, options);
  for (const [index, update] of run.updates.entries()) {
    const complete = Array.isArray(update.content) && Object.hasOwn(update, "details");
    if (!complete) faults.push(`Update ${index + 1} is not complete: it needs content and details.`);
  }
  if (run.kind === "result") {
    const checked = checkResult(run.result, output);
    if (checked.isError === true && !run.isError) {
      const [part] = checked.content;
      faults.push(part?.type === "text" ? part.text : "The result is refused.");
    }
  } else if (run.kind === "error" && run.message.trim() === "") {
    faults.push("execute throws without a message.");
  }
  // Whatever still runs gets one turn of the event loop to show itself.
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (run.lateUpdates() > 0) faults.push("execute tells progress after its end.");
  return faults;
}

function* definitionFaults(tool: RunnableTool): Iterable<string> {
  const name = toolNameFault(tool.name);
  if (name !== undefined) yield name;
  if (tool.description.trim() === "") yield "The description is empty: a model cannot choose the tool.";
  for (const [field, schema] of [
    ["parameters", tool.parameters],
    ["outputSchema", tool.outputSchema],
  ] as const) {
    const fault = schema === undefined ? undefined : schemaFault(schema);
    if (fault !== undefined) yield `${field}: ${fault}`;
  }
  if (!("type" in tool.parameters) || tool.parameters.type !== "object") {
    yield "parameters: a model's arguments are an object, so the schema's type is \"object\".";
  }
  const { readOnlyHint, destructiveHint } = tool.annotations ?? {};
  if (readOnlyHint === true && destructiveHint === true)
    yield "annotations: a tool that is read-only destroys nothing.";
}

function schemaFault(schema: object): string | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return error instanceof ToolError ? error.message : String(error);
  }
}
