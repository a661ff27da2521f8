import type { DiffFile, DiffReport } from "../diff.ts";
import { limits } from "../limits.ts";

/** What the model reads of `collect_diff`: a line a file, then the hunks as far as they fit. */
export function diffText(report: DiffReport): string {
  const { counts } = report;
  const since =
    report.base === undefined ? "" : `, since ${report.base.ref} (${report.base.mergeBase.slice(0, 12)})`;
  const lines = [
    `${report.total} changes${since}: ${counts.committed} committed, ${counts.staged} staged, ${counts.unstaged} unstaged, ${counts.untracked} untracked`,
    ...report.files.map(fileLine),
  ];
  if (report.omitted > 0) lines.push(`${report.omitted} changes beyond the limit are not listed.`);
  if (report.nextCursor !== undefined)
    lines.push(`More: call again with cursor ${JSON.stringify(report.nextCursor)}.`);
  let left: number = limits.textBytes - lines.join("\n").length;
  for (const file of report.files) {
    if (file.hunks.length === 0) continue;
    const text = hunkText(file);
    if (text.length > left) {
      lines.push("", "(further hunks are in the structured content)");
      break;
    }
    left -= text.length;
    lines.push("", text);
  }
  return lines.join("\n");
}

function fileLine(file: DiffFile): string {
  const from = file.oldPath === undefined ? "" : ` from ${file.oldPath}`;
  const size = file.binary
    ? "binary"
    : file.added === undefined
      ? ""
      : `+${file.added} -${file.removed ?? 0}`;
  const commits =
    file.kind === "submodule"
      ? `${file.oldCommit?.slice(0, 12) ?? "none"} to ${file.newCommit?.slice(0, 12) ?? "none"}`
      : "";
  const kind = file.kind === "file" ? "" : file.kind;
  const detail = [
    file.area === file.status ? "" : file.area,
    file.status,
    kind,
    size,
    commits,
    file.truncated ? "cut" : "",
    file.note ?? "",
  ];
  return `- ${file.path}${from}: ${detail.filter((part) => part !== "").join(", ")}`;
}

function hunkText(file: DiffFile): string {
  const hunks = file.hunks.map((hunk) => {
    const section = hunk.section === undefined ? "" : ` ${hunk.section}`;
    return [
      `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@${section}`,
      ...hunk.lines,
    ].join("\n");
  });
  return [`## ${file.path} (${file.area})`, ...hunks].join("\n");
}
