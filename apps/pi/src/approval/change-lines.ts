import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

import { generateDiffString } from "@earendil-works/pi-coding-agent";
import { showText } from "@nestbox/policy";
import type { CallRequest } from "@nestbox/tool";

/** Larger texts are not compared: a person reads no such diff, and comparing takes time. */
const MAX_COMPARED_CHARS = 128 * 1024;
const MAX_COMPARED_LINES = 2_000;
const MAX_SHOWN_LINES = 60;
const MAX_LINE_CHARS = 240;

export interface ChangeLines {
  readonly lines: readonly string[];
  /** Arguments that the lines show in full, so that they need no line of their own. */
  readonly shows: readonly string[];
}

/**
 * What Pi's own `write` or `edit` would change, as a diff against the file as it is now. Undefined for every other
 * tool: what another tool does with such arguments is not known.
 */
export async function changeLines(request: CallRequest): Promise<ChangeLines | undefined> {
  const { tool, input } = request;
  if (tool.source?.kind !== "builtin" || (tool.name !== "write" && tool.name !== "edit")) return undefined;
  const { path } = input;
  if (typeof path !== "string") return undefined;
  const now = await readNow(path, request.cwd);
  if (tool.name === "write") {
    const { content } = input;
    if (typeof content !== "string") return undefined;
    if (now.kind === "unknown") return { lines: [`not compared: ${now.why}`], shows: [] };
    const title = now.kind === "missing" ? "a new file:" : "replaces the file:";
    return shown(title, now.kind === "missing" ? "" : now.text, content, ["content"]);
  }
  const edits = readEdits(input["edits"]);
  if (edits === undefined) return undefined;
  const before = now.kind === "text" ? now.text.replaceAll("\r\n", "\n") : undefined;
  const after = before === undefined ? undefined : applied(before, edits);
  if (before !== undefined && after !== undefined)
    return shown("changes the file:", before, after, ["edits"]);
  const why = now.kind === "text" ? "its text is not there exactly once" : "the file cannot be read";
  const parts = edits.map(({ oldText, newText }) => shown("replaces:", oldText, newText, ["edits"]));
  return {
    lines: [`not compared: ${why}; as it was asked for:`, ...parts.flatMap(({ lines }) => lines)].slice(
      0,
      MAX_SHOWN_LINES,
    ),
    shows: parts.length === 1 && parts[0]?.shows.length === 1 ? ["edits"] : [],
  };
}

type FileNow =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unknown"; readonly why: string };

async function readNow(path: string, cwd: string): Promise<FileNow> {
  // Other forms of a path are Pi's to read; a guess could show another file.
  if (path.startsWith("@") || /^file:/i.test(path)) return { kind: "unknown", why: "the form of its path" };
  const full = path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : resolve(cwd, path);
  try {
    // Non-blocking: a pipe without a writer would hold the question back for ever.
    await using file = await open(full, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return { kind: "unknown", why: "it is no file" };
    if (stat.size > MAX_COMPARED_CHARS) return { kind: "unknown", why: "the file is too large" };
    const text = await file.readFile("utf8");
    return text.includes("\0") ? { kind: "unknown", why: "the file is no text" } : { kind: "text", text };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" ? { kind: "missing" } : { kind: "unknown", why: "the file cannot be read" };
  }
}

function shown(title: string, before: string, after: string, args: readonly string[]): ChangeLines {
  if (before === after) return { lines: [`${title} nothing changes`], shows: args };
  if (isLarge(before) || isLarge(after)) return { lines: [`${title} too large to compare`], shows: [] };
  const all = generateDiffString(before, after, 3).diff.split("\n");
  const long = all.some((line) => line.length > MAX_LINE_CHARS);
  const lines = all
    .slice(0, MAX_SHOWN_LINES)
    .map((line) => showText(line.replaceAll("\t", "  "), MAX_LINE_CHARS));
  const left = all.length - lines.length;
  if (left > 0) lines.push(`… ${left} more lines of the diff`);
  return { lines: [title, ...lines], shows: left > 0 || long ? [] : args };
}

function isLarge(text: string): boolean {
  return (
    text.length > MAX_COMPARED_CHARS || text.split("\n", MAX_COMPARED_LINES + 1).length > MAX_COMPARED_LINES
  );
}

interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

function readEdits(value: unknown): readonly Edit[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const edits = value.flatMap((item: unknown): Edit[] => {
    if (typeof item !== "object" || item === null) return [];
    const oldText: unknown = Reflect.get(item, "oldText");
    const newText: unknown = Reflect.get(item, "newText");
    return typeof oldText === "string" && typeof newText === "string" ? [{ oldText, newText }] : [];
  });
  return edits.length === value.length ? edits : undefined;
}

/** The text after all edits, each found exactly once in what was there before; undefined where one is not. */
function applied(text: string, edits: readonly Edit[]): string | undefined {
  const places: { readonly at: number; readonly edit: Edit }[] = [];
  for (const { oldText, newText } of edits) {
    const edit = { oldText: oldText.replaceAll("\r\n", "\n"), newText: newText.replaceAll("\r\n", "\n") };
    const at = text.indexOf(edit.oldText);
    if (edit.oldText === "" || at === -1 || text.includes(edit.oldText, at + 1)) return undefined;
    places.push({ at, edit });
  }
  places.sort((first, second) => first.at - second.at);
  let result = "";
  let from = 0;
  for (const { at, edit } of places) {
    if (at < from) return undefined;
    result += text.slice(from, at) + edit.newText;
    from = at + edit.oldText.length;
  }
  return result + text.slice(from);
}
