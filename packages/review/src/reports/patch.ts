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
    if (current !== undefined && (left.old > 0 || left.new > 0)) {
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
