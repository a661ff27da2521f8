import { isRecord } from "../shared/guards.ts";

/** Other names under which models send the script. */
const ALIASES = ["script", "source", "javascript", "typescript", "js", "ts", "input"] as const;

/**
 * The script, whatever the model put around it: plain text, another field's name, or the whole call as JSON inside
 * the field. Anything else is left for validation to refuse.
 */
export function prepareArguments(args: unknown): { code: string } {
  const code = findCode(args);
  // Validation has the last word on anything that holds no script.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return code === undefined ? (args as { code: string }) : { code: unwrap(code) };
}

function findCode(args: unknown): string | undefined {
  if (typeof args === "string") return args;
  if (!isRecord(args)) return undefined;
  if (args["code"] !== undefined) return typeof args["code"] === "string" ? args["code"] : undefined;
  const given = ALIASES.map((name) => args[name]).filter((value) => value !== undefined);
  return given.length === 1 && typeof given[0] === "string" ? given[0] : undefined;
}

/** What a script has and a text that stands for itself seldom has. */
const SCRIPT_WORDS = /\n|\b(?:return|await|tools)\b/;

/**
 * A JSON object is no script that does anything, so one that only holds a script stands for it; neither is a text in
 * quotes, so one that reads as a script is one that came escaped.
 */
function unwrap(code: string): string {
  if (!/^\s*(?:\{\s*"code"\s*:|")/.test(code)) return code;
  try {
    const value: unknown = JSON.parse(code);
    if (typeof value === "string") return SCRIPT_WORDS.test(value) ? value : code;
    return isRecord(value) && Object.keys(value).length === 1 && typeof value["code"] === "string"
      ? value["code"]
      : code;
  } catch {
    return code;
  }
}
