import type { ToolRendererResolver, ToolRenderers } from "@earendil-works/pi-coding-agent";
import { Text } from "@earendil-works/pi-tui";

import {
  drawChecks,
  drawDangers,
  drawDiff,
  drawFailures,
  drawReview,
  oneLine,
  type DrawDetails,
} from "./lines.ts";

/** Lines of a result without details of a known form, such as an error or a result of another version. */
const plainLines = { collapsed: 8, expanded: 400 };

function renderersFor(name: string, draw: DrawDetails): ToolRenderers {
  return {
    renderCall(args: unknown, theme) {
      const detail = argumentsLine(args);
      return new Text(
        `${theme.fg("toolTitle", theme.bold(name))}${detail === "" ? "" : ` ${theme.fg("muted", detail)}`}`,
        0,
        0,
      );
    },
    renderResult(result, { expanded }, theme) {
      const drawn = draw(result.details, { expanded, paint: theme });
      return new Text((drawn ?? contentLines(result.content, expanded)).join("\n"), 0, 0);
    },
  };
}

/** The arguments as `name: value`, each on no more than a few words. They come from a model and may be incomplete. */
function argumentsLine(args: unknown): string {
  if (typeof args !== "object" || args === null) return "";
  const shown = Object.entries(args)
    .slice(0, 8)
    .map(
      ([key, value]) =>
        `${oneLine(key, 40)}: ${oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), 80)}`,
    );
  return shown.join(", ");
}

function contentLines(content: unknown, expanded: boolean): readonly string[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const text = parts.flatMap((part) =>
    typeof part === "object" && part !== null && "text" in part && typeof part.text === "string"
      ? [part.text]
      : [],
  );
  const lines = text
    .join("\n")
    .split("\n")
    .map((line) => oneLine(line));
  const shown = lines.slice(0, expanded ? plainLines.expanded : plainLines.collapsed);
  return lines.length === shown.length ? shown : [...shown, `… ${lines.length - shown.length} more lines`];
}

const renderers: ReadonlyMap<string, ToolRenderers> = new Map([
  ["run_checks", renderersFor("run_checks", drawChecks)],
  ["failing_tests", renderersFor("failing_tests", drawFailures)],
  ["collect_diff", renderersFor("collect_diff", drawDiff)],
  ["dangerous_commands", renderersFor("dangerous_commands", drawDangers)],
  ["review_diff", renderersFor("review_diff", drawReview)],
]);

/**
 * How the review tools look in Pi (contract A22): `pi.registerToolRenderer(reviewRenderers)`. Every other name is
 * left to the next resolver.
 */
export const reviewRenderers: ToolRendererResolver = (toolName, next) => renderers.get(toolName) ?? next();

/** The tools with their renderers, for a host that takes definitions and has no resolvers. */
export function withReviewRenderers<const TTools extends readonly { readonly name: string }[]>(
  tools: TTools,
): { readonly [K in keyof TTools]: TTools[K] & ToolRenderers } {
  // Mapping a tuple with `map` loses its type; each member keeps its own and gains the renderers.
  return tools.map((tool) => ({ ...tool, ...renderers.get(tool.name) })) as {
    readonly [K in keyof TTools]: TTools[K] & ToolRenderers;
  };
}
