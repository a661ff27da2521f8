import { obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import { defineTool, takePage, type DangerEntry } from "@nestbox/tool";

import { dangersSchema, type DangersReport } from "../../dangers.ts";
import { limits } from "../../limits.ts";
import { reviewNamespace } from "../../namespace.ts";
import type { ReviewEnvironment } from "../options.ts";
import { pageParameters } from "./parameters.ts";
import { report } from "./result.ts";

const parameters = obj({
  query: opt(
    str({
      maxLength: 200,
      description: "Words that an entry must contain, for example git push. Default: all entries",
    }),
  ),
  effect: opt(oneOf(["ask", "deny"], { description: "Only what is asked about, or only what is denied" })),
  ...pageParameters("Entries", { default: limits.dangerPage, max: limits.maxDangerPage }),
});

/** `dangerous_commands`: the policy's own tables, searchable (contract A3). */
export function dangerousCommandsTool(environment: ReviewEnvironment) {
  return defineTool({
    name: "dangerous_commands",
    label: "Dangerous commands",
    description:
      "Lists what the policy holds dangerous: commands that are asked about or denied, why, and what to do instead. " +
      "Call it before you propose a command that you are not sure about, or when one was denied. " +
      "Accepts query (words that must all occur), effect, limit and cursor. Returns { entries, total, nextCursor? }. " +
      "It changes no decision: whether a call runs is decided when it is made. To find such commands in a change use review_diff instead.",
    parameters,
    outputSchema: dangersSchema,
    exposure: "deferred",
    namespace: reviewNamespace,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async execute(_id, params) {
      const entries = searchDangers(environment.dangers(), params.query ?? "").filter(
        (entry) => params.effect === undefined || entry.effect === params.effect,
      );
      const page = takePage(entries, {
        limit: params.limit ?? limits.dangerPage,
        version: `${entries.length}.${params.query ?? ""}.${params.effect ?? ""}`.slice(0, 64),
        ...(params.cursor === undefined ? {} : { cursor: params.cursor }),
      });
      const data: DangersReport = {
        entries: page.items.map(({ id, effect, title, reason, examples, layer }) => ({
          id,
          effect,
          title,
          reason,
          examples: [...examples],
          layer,
        })),
        total: page.total,
        ...(page.nextCursor === undefined ? {} : { nextCursor: page.nextCursor }),
      };
      return report(data, environment, dangersText);
    },
  });
}

/** Entries that contain every word of the query, those with more of them in id and title first. */
function searchDangers(entries: readonly DangerEntry[], query: string): readonly DangerEntry[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, 20);
  if (words.length === 0) return entries;
  const rank = (entry: DangerEntry): number => {
    const head = `${entry.id} ${entry.title}`.toLowerCase();
    const all = `${head} ${entry.reason} ${entry.examples.join(" ")}`.toLowerCase();
    return words.every((word) => all.includes(word))
      ? 1 + words.filter((word) => head.includes(word)).length
      : 0;
  };
  return entries
    .map((entry) => ({ entry, rank: rank(entry) }))
    .filter((found) => found.rank > 0)
    .toSorted((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry);
}

function dangersText(data: DangersReport): string {
  const lines = [`${data.total} entries`];
  for (const entry of data.entries) {
    lines.push(`- ${entry.id} (${entry.effect}): ${entry.title}. ${entry.reason}`);
    if (entry.examples.length > 0) lines.push(`    for example: ${entry.examples.slice(0, 3).join(" | ")}`);
  }
  if (data.nextCursor !== undefined)
    lines.push(`More: call again with cursor ${JSON.stringify(data.nextCursor)}.`);
  return lines.join("\n");
}
