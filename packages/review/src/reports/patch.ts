import type { DiffHunk } from "../diff.ts";

/** The hunks of one file's patch, and what its `--numstat` line says. */
export interface ParsedPatch {
  readonly binary: boolean;
  readonly added?: number;
  readonly removed?: number;
  readonly hunks: readonly DiffHunk[];
  /** The patch was cut, or is longer than it may be. */
  readonly truncated: boolean;
}

export interface PatchLimits {
  /** Characters of all lines together. */
  readonly maxChars: number;
  readonly maxLineChars: number;
}

const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Reads what `git diff-… --numstat --patch` prints for one file. Total: text of any other form gives no hunks. */
export function parsePatch(source: string, limits: PatchLimits): ParsedPatch {
  const lines = source.split("\n");
  const numbers = /^(\d+|-)\t(\d+|-)\t/.exec(lines[0] ?? "");
  const binary = numbers?.[1] === "-";
  const hunks: DiffHunk[] = [];
  let chars = 0;
  let truncated = false;
  let left = { old: 0, new: 0 };
  let current: string[] | undefined;
  for (const line of lines) {
    // git's remark that a file has no line feed at its end stands behind the last line.
    const isRemark = line.startsWith("\\ ");
    if (current !== undefined && (left.old > 0 || left.new > 0 || isRemark)) {
      const prefix = line.charAt(0);
      // What is no line of a hunk while lines are due: here the output was cut.
      if (prefix !== " " && prefix !== "+" && prefix !== "-" && prefix !== "\\") {
        truncated = true;
        break;
      }
      if (prefix !== "\\")
        left = { old: left.old - (prefix === "+" ? 0 : 1), new: left.new - (prefix === "-" ? 0 : 1) };
      if (chars + line.length > limits.maxChars) {
        truncated = true;
        break;
      }
      if (line.length > limits.maxLineChars) truncated = true;
      const kept = line.slice(0, limits.maxLineChars);
      chars += kept.length;
      current.push(kept);
      continue;
    }
    const [found, oldStart, oldLines = "1", newStart, newLines = "1", section = ""] = header.exec(line) ?? [];
    if (found === undefined) continue;
    current = [];
    left = { old: Number(oldLines), new: Number(newLines) };
    hunks.push({
      oldStart: Number(oldStart),
      oldLines: left.old,
      newStart: Number(newStart),
      newLines: left.new,
      ...(section === "" ? {} : { section: section.slice(0, limits.maxLineChars) }),
      lines: current,
    });
  }
  if (left.old > 0 || left.new > 0) truncated = true;
  return {
    binary,
    ...(numbers === null || binary ? {} : { added: Number(numbers[1]), removed: Number(numbers[2]) }),
    hunks,
    truncated,
  };
}

/**
 * What `--numstat --patch` prints for several files, one text a file as it would have been printed for that file
 * alone; empty when the numbers and the patches do not match. A line of a file's own that looks like a header is
 * inside a hunk, whose lines are counted.
 */
export function splitPatches(source: string): readonly string[] {
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !/^(?:\d+|-)\t(?:\d+|-)\t/.test(line));
  const numbers = lines.slice(0, Math.max(0, end));
  const sections: string[][] = [];
  let left = { old: 0, new: 0 };
  for (const line of lines.slice(Math.max(0, end))) {
    const prefix = line.charAt(0);
    if (left.old > 0 || left.new > 0) {
      if (prefix !== "\\")
        left = { old: left.old - (prefix === "+" ? 0 : 1), new: left.new - (prefix === "-" ? 0 : 1) };
    } else if (line.startsWith("diff --git ")) sections.push([]);
    else {
      const [found, , oldLines = "1", , newLines = "1"] = header.exec(line) ?? [];
      if (found !== undefined) left = { old: Number(oldLines), new: Number(newLines) };
    }
    sections.at(-1)?.push(line);
  }
  if (sections.length !== numbers.length) return [];
  return sections.map((section, index) => [numbers[index] ?? "", "", ...section].join("\n"));
}
