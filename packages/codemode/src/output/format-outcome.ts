import type { ImageContent, JsonValue, TextContent, ToolContent } from "@nestbox/tool";
import { messageOf } from "../shared/guards.ts";
import type { OutputItem, ScriptOutcome } from "../types.ts";
import { errorText } from "./error-text.ts";
import { formatSize, sliceHead, sliceTail } from "./slice.ts";

/** Output budget of a script that asks for no other, in estimated tokens. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 10_000;

const CHARS_PER_TOKEN = 4;

/** Writes what the model is not shown in full. Answers the path; rejects when it cannot be written. */
export interface OutputFiles {
  /** `extension` includes the dot. */
  write(extension: string, data: string, encoding: "utf8" | "base64"): Promise<string>;
}

export interface FormatOptions {
  /** Budget in estimated tokens of four characters. */
  readonly maxOutputTokens?: number | undefined;
  /** What the header says; rounded to tenths of a second. */
  readonly wallMs: number;
  readonly files: OutputFiles;
  /** Text items behind everything that the script printed. */
  readonly notes?: readonly string[];
  /** The script, for a hint at a call that it did not await. */
  readonly code?: string;
  /** Exact names of the tools that it could call, for a hint at one that it called by its bare name. */
  readonly tools?: readonly string[];
}

export interface FormattedOutcome {
  /** Fits a tool's result as it is. */
  readonly content: ToolContent[];
  /** The file with all of the text, when it was cut. */
  readonly fullOutputPath?: string;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
]);

/**
 * Lays out how a script ended, exactly as the built-in codemode does: a header, the items in order, console lines
 * behind them, the error of a failed script last. Text over the budget keeps its start and its end, the rest is in
 * a file that the text names; every image is saved and its path stands before it.
 */
export async function formatOutcome(
  outcome: ScriptOutcome,
  options: FormatOptions,
): Promise<FormattedOutcome> {
  const printed = [...outcome.output];
  if (outcome.ok && outcome.value !== undefined)
    printed.push({ type: "text", text: valueText(outcome.value) });
  const items = layOut(printed);
  if (!outcome.ok)
    items.push({
      type: "text",
      text: `Script error:\n${errorText(outcome.error, outcome.calls, { ...options, warnings: outcome.warnings })}`,
    });
  for (const text of options.notes ?? []) items.push({ type: "text", text });
  const budget = (options.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS) * CHARS_PER_TOKEN;
  const { items: cut, fullOutputPath } = await truncate(joinText(items), budget, options.files);
  // Behind the cut, so that a path stays next to its image and is never cut itself.
  const saved = joinText(await saveImages(cut, options.files));
  return {
    content: [{ type: "text", text: header(outcome.ok, options.wallMs) }, ...saved],
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  };
}

/** The first block of every result. */
export function header(ok: boolean, wallMs: number): string {
  return `Script ${ok ? "completed" : "failed"}\nWall time ${(wallMs / 1000).toFixed(1)} seconds\nOutput:\n`;
}

function valueText(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Numbers the text items when there is more than one, and gathers the console lines at the end. */
function layOut(output: readonly OutputItem[]): (TextContent | ImageContent)[] {
  const total = output.reduce((count, item) => count + (item.type === "text" ? 1 : 0), 0);
  const items: (TextContent | ImageContent)[] = [];
  const lines: string[] = [];
  let index = 0;
  for (const item of output) {
    if (item.type === "console") {
      lines.push(item.text);
    } else if (item.type === "image" || total === 1) {
      items.push(item);
    } else {
      index++;
      items.push({ type: "text", text: `==> text ${index}/${total} <==\n${item.text}` });
    }
  }
  if (lines.length > 0) {
    items.push({ type: "text", text: `<console_output>\n${lines.join("\n")}\n</console_output>` });
  }
  return items;
}

/** Makes one text of neighbours, each beginning on a line of its own. */
function joinText(items: readonly ToolContent[]): ToolContent[] {
  const joined: ToolContent[] = [];
  let parts: string[] = [];
  // The end of the text so far; asking the joined text for it each time would copy it each time.
  let endsLine = true;
  const flush = (): void => {
    if (parts.length > 0) joined.push({ type: "text", text: parts.join("") });
    parts = [];
    endsLine = true;
  };
  for (const item of items) {
    if (item.type === "image") {
      flush();
      joined.push(item);
      continue;
    }
    if (!endsLine) {
      parts.push("\n");
      endsLine = true;
    }
    parts.push(item.text);
    if (item.text !== "") endsLine = item.text.endsWith("\n");
  }
  flush();
  return joined;
}

async function truncate(
  items: readonly ToolContent[],
  budget: number,
  files: OutputFiles,
): Promise<{ readonly items: readonly ToolContent[]; readonly fullOutputPath?: string }> {
  const texts = items.flatMap((item) => (item.type === "text" ? [item.text] : []));
  const all = texts.join("\n");
  if (texts.length === 0 || all.length <= budget) return { items };
  const headChars = Math.floor(budget / 2);
  const tailChars = budget - headChars;
  const tokens = Math.ceil(all.length / CHARS_PER_TOKEN);
  const removed = Math.ceil((all.length - headChars - tailChars) / CHARS_PER_TOKEN);
  const file = await spill(all, files);
  const text = [
    `Warning: truncated output (original token count: ${tokens})\nTotal output lines: ${all.split("\n").length}`,
    `${sliceHead(all, headChars)}…${removed} tokens truncated…${sliceTail(all, tailChars)}`,
    file.ok
      ? `[Full output: ${file.path} (read with offset/limit)]`
      : `[Could not save the full output: ${file.message}]`,
  ].join("\n\n");
  return {
    items: [{ type: "text", text }, ...items.filter((item) => item.type === "image")],
    ...(file.ok ? { fullOutputPath: file.path } : {}),
  };
}

type Spilled =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string };

/** A file that cannot be written must not lose the result of a script whose calls have been made. */
async function spill(text: string, files: OutputFiles): Promise<Spilled> {
  try {
    return { ok: true, path: await files.write(".txt", text, "utf8") };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

/** Puts the path of its file before every image; one that is shown twice is saved once. */
async function saveImages(items: readonly ToolContent[], files: OutputFiles): Promise<ToolContent[]> {
  const labels = new Map<string, Promise<string>>();
  const saved = await Promise.all(
    items.map(async (item): Promise<ToolContent[]> => {
      if (item.type !== "image") return [item];
      const pending = labels.get(item.data) ?? saveImage(item, files);
      labels.set(item.data, pending);
      return [{ type: "text", text: await pending }, item];
    }),
  );
  return saved.flat();
}

async function saveImage({ data, mimeType }: ImageContent, files: OutputFiles): Promise<string> {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const kind = `${mimeType}, ${formatSize((data.length / 4) * 3 - padding)}`;
  try {
    const path = await files.write(EXTENSIONS.get(mimeType) ?? ".bin", data, "base64");
    return `[Image saved to ${path} (${kind})]`;
  } catch (error) {
    return `[Image (${kind}) could not be saved: ${messageOf(error)}]`;
  }
}
