import type { Redactor } from "@nestbox/tool";

/** Redacts a source so that every line keeps its number, also behind a secret of many lines. */
export function keepLines(text: string, redact: Redactor): string {
  const lines = text.split("\n");
  const clean = redact(text).split("\n");
  let missing = lines.length - clean.length;
  if (missing <= 0) return clean.join("\n");
  const out: string[] = [];
  for (const [index, line] of clean.entries()) {
    out.push(line);
    const next = clean[index + 1];
    if (missing === 0 || next === undefined || !line.includes("[redacted")) continue;
    // As many lines were taken out here as lie before the one that follows.
    for (let gap = 0; gap <= missing; gap++) {
      const candidate = lines[out.length + gap];
      if (candidate === undefined || (candidate !== next && redact(candidate) !== next)) continue;
      out.push(...Array<string>(gap).fill(""));
      missing -= gap;
      break;
    }
  }
  out.push(...Array<string>(missing).fill(""));
  return out.join("\n");
}
