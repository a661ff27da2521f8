import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { messageOf, type RunnableTool } from "@nestbox/tool";

import { UsageError } from "../usage-error.ts";

/**
 * The tools of a `--tools` module: its default export, a list of tool definitions in Pi's shape. `specifier` is a
 * file (relative to `cwd`) or a package that Node can resolve.
 */
export async function loadToolModule(specifier: string, cwd: string): Promise<readonly RunnableTool[]> {
  const file = isAbsolute(specifier) ? specifier : resolve(cwd, specifier);
  const isFile = existsSync(file);
  if (!isFile && (specifier.startsWith(".") || isAbsolute(specifier))) {
    throw new UsageError(
      `--tools ${specifier}: there is no such file. Name a module whose default export is a list of tools.`,
    );
  }
  let module: unknown;
  try {
    module = await import(isFile ? pathToFileURL(file).href : specifier);
  } catch (cause) {
    throw new UsageError(
      !isFile && isMissing(cause, specifier)
        ? `--tools ${specifier}: there is no such file, and no package of that name beside nestbox.`
        : `--tools ${specifier}: the module cannot be loaded: ${messageOf(cause)}${placeOf(cause)}`,
      { cause },
    );
  }
  const list = Object.hasOwn(module as object, "default")
    ? (module as { default: unknown }).default
    : undefined;
  if (!Array.isArray(list)) {
    throw new UsageError(
      `--tools ${specifier}: the default export is ${describe(list)}, not a list of tool definitions.`,
    );
  }
  return list.map((tool: unknown, index) => checkTool(tool, `--tools ${specifier}: item ${index}`));
}

function checkTool(tool: unknown, where: string): RunnableTool {
  if (typeof tool !== "object" || tool === null)
    throw new UsageError(`${where} is ${describe(tool)}, not a tool definition.`);
  const fields = tool as Record<string, unknown>;
  if (typeof fields["name"] !== "string") throw new UsageError(`${where} has no name: it must be a string.`);
  const named = `${where} (${JSON.stringify(fields["name"])})`;
  if (typeof fields["description"] !== "string")
    throw new UsageError(`${named} has no description: it must be a string.`);
  if (typeof fields["parameters"] !== "object" || fields["parameters"] === null) {
    throw new UsageError(`${named} has no parameters: it must be a JSON Schema object.`);
  }
  if (typeof fields["execute"] !== "function")
    throw new UsageError(`${named} has no execute: it must be a function.`);
  // Checked field by field just above; the rest of Pi's shape is optional.
  return tool as RunnableTool;
}

function isMissing(cause: unknown, specifier: string): boolean {
  return (
    cause instanceof Error &&
    (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
    cause.message.includes(`'${specifier}'`)
  );
}

/** The file and line of a mistake in it, or of where it throws, as Node's own text of the error says. */
function placeOf(cause: unknown): string {
  if (!(cause instanceof Error) || typeof cause.stack !== "string") return "";
  const [first = "", ...frames] = cause.stack.split("\n");
  const mistake = /^(?:file:|\/|[A-Za-z]:\\).*:\d+$/.exec(first)?.[0];
  // A module that throws is the first frame; what Node does before one runs has frames of its own.
  const frame = frames.find((line) => /^\s+at /.test(line)) ?? "";
  const place = mistake ?? /(file:[^\s()]+:\d+):\d+\)?$/.exec(frame)?.[1];
  return place === undefined ? "" : ` (${place})`;
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
