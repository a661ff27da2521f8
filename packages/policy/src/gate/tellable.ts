import { redactText } from "./redact.ts";

/** What is left of the words on both sides of a cut: half a secret has no shape that could be recognised. */
const cutWords = /\S*…(\[\d+ of \d+ characters left out\])…\S*/gu;
/** Stands for a spelled-out line end while secrets are looked for, so that it is no letter before one. */
const LINE_END = "\u2028";

/**
 * A text about a call as the model and the record may have it: what looks like a secret in the call's own words is
 * taken out (contract B10). A person who is asked sees the whole call.
 */
export function tellable(text: string): string {
  const lines = text
    .replace(cutWords, "…$1…")
    .replaceAll(/\\[nrt]/g, (end) => `${LINE_END}${end[1]}${LINE_END}`);
  return redactText(lines).replaceAll(new RegExp(`${LINE_END}([nrt])${LINE_END}`, "g"), "\\$1");
}
