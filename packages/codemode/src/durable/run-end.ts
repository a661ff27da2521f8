/** How a run ended, from the beginning of what its journal has under `end`: its output and its calls are not read. */
import { shorten } from "@nestbox/tool";
import type { ScriptError } from "../types.ts";

export type RunEnding =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** Its message has 500 characters at most. Absent where the beginning does not hold it. */
      readonly error?: Pick<ScriptError, "kind" | "name" | "message">;
    };

/** Characters of an end's JSON that are enough for it. */
export const ENDING_CHARS = 4_096;

const MAX_MESSAGE_CHARS = 500;
/** As `JSON.stringify` has written it: the error stands before all that may be long. */
const OK = /^\{"ok":(true|false)[,}]/;
const ERROR =
  /^\{"ok":false,"error":\{"kind":("[a-z]{1,20}"),"name":("(?:[^"\\]|\\.)*"),"message":("(?:[^"\\]|\\.)*)("?)/;

/** `undefined` for what is no end of a run. `head`: its JSON, or the beginning of it. */
export function readRunEnding(head: string): RunEnding | undefined {
  const [, ok] = OK.exec(head) ?? [];
  if (ok === undefined) return undefined;
  if (ok === "true") return { ok: true };
  const [, kind = "", name = "", begun = "", close = ""] = ERROR.exec(head.slice(0, ENDING_CHARS)) ?? [];
  try {
    // Whoever can write to a journal may have written another kind: it is shown, and decides nothing.
    const error = {
      kind: JSON.parse(kind) as ScriptError["kind"],
      name: shorten(JSON.parse(name) as string, MAX_MESSAGE_CHARS),
      // A message that is cut off may end within an escape of several characters.
      message: shorten(
        JSON.parse(close === "" ? `${begun.replace(/\\u[0-9a-f]{0,3}$/i, "")}"` : `${begun}"`) as string,
        MAX_MESSAGE_CHARS,
      ),
    };
    return { ok: false, error };
  } catch {
    return { ok: false };
  }
}
