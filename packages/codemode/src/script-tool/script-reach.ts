import { isRecord } from "../shared/guards.ts";

/** Globals through which a script finds tools whose names do not stand in its source. */
const DISCOVERY = /\b(?:searchTools|describeNamespace|describeTool|ALL_TOOLS)\b/;

/**
 * Which tools a call may reach: all of them when the script looks for tools, else those that a word of its source
 * may name. Extensions that register tools late finish those before the script runs.
 */
export function scriptReach(input: unknown): "all" | readonly string[] {
  const code = isRecord(input) ? input["code"] : undefined;
  if (typeof code !== "string") return [];
  return DISCOVERY.test(code) ? "all" : (code.match(/\w+/g) ?? []);
}
