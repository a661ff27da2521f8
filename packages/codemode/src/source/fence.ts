import type { AnyNode, Program } from "acorn";
import { type SourceError, sourceError } from "./source-error.ts";
import { walk } from "./walk.ts";

const OPENING = /^[ \t]*(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const LINE_BREAK = /\r\n|\n/;
const SCRIPT_LANGUAGES: ReadonlySet<string> = new Set([
  "",
  "js",
  "javascript",
  "jsx",
  "mjs",
  "cjs",
  "ts",
  "typescript",
  "tsx",
  "mts",
  "cts",
  "node",
  "codemode",
]);

interface Block {
  readonly language: string;
  /** Indices of lines: the first line of code, and the closing fence (or the number of lines). */
  readonly from: number;
  readonly to: number;
}

/** Whether the text has a line that could open a fence; everything else here is asked only then. */
export function mayBeFenced(source: string): boolean {
  return /^[ \t]*(?:`{3,}|~{3,})/m.test(source);
}

/**
 * Whether a script that parses is in truth a fenced one: to the parser, a fence is an empty template that is
 * called with the code as its text, which can never run.
 */
export function isFencedTemplate(program: Program): boolean {
  let found = false;
  walk(program, (node: AnyNode) => {
    if (node.type === "TaggedTemplateExpression") {
      let tag: AnyNode = node.tag;
      while (tag.type === "TaggedTemplateExpression") tag = tag.tag;
      if (tag.type === "TemplateLiteral") found = true;
    }
    return !found;
  });
  return found;
}

function closes(line: string, opening: string): boolean {
  const trimmed = line.trim();
  return trimmed === trimmed.charAt(0).repeat(trimmed.length) && trimmed.startsWith(opening);
}

function findBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index++) {
    const opening = OPENING.exec(lines[index] ?? "");
    if (opening === null) continue;
    const mark = opening[1] ?? "";
    let end = index + 1;
    while (end < lines.length && !closes(lines[end] ?? "", mark)) end++;
    blocks.push({ language: (opening[2] ?? "").toLowerCase(), from: index + 1, to: end });
    index = end;
  }
  return blocks;
}

/** Why a text in fences holds no script: the fence that stands at a line or below it is one of another language. */
export function foreignFence(source: string, line: number): string | undefined {
  const block = findBlocks(source.split(LINE_BREAK)).find(({ from }) => from >= line);
  if (block === undefined || SCRIPT_LANGUAGES.has(block.language)) return undefined;
  return `The script is inside of a Markdown fence for \`${block.language}\`; scripts are JavaScript or TypeScript`;
}

export type FenceOutcome =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly error: SourceError };

/**
 * The code inside the one Markdown fence of the text, every other line emptied so that lines and columns stay.
 * Undefined when there is no fence with code. Several fenced scripts are refused before anything runs, because
 * nobody can tell which one was meant.
 */
export function unfence(source: string): FenceOutcome | undefined {
  const lines = source.split(LINE_BREAK);
  const blocks = findBlocks(lines).filter(
    (block) =>
      SCRIPT_LANGUAGES.has(block.language) &&
      lines.slice(block.from, block.to).some((line) => line.trim() !== ""),
  );
  const [block, second] = blocks;
  if (block === undefined) return undefined;
  if (second !== undefined) {
    const message = `The input holds ${blocks.length} fenced scripts; send one script, without fences`;
    return {
      ok: false,
      error: sourceError(source, "SyntaxError", message, { line: second.from, column: 1 }),
    };
  }
  const kept = lines.map((line, index) => (index >= block.from && index < block.to ? line : ""));
  return { ok: true, code: kept.slice(0, block.to).join("\n") };
}
