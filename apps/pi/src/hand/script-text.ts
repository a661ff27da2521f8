import { open } from "node:fs/promises";
import { resolve } from "node:path";

import { showText } from "@nestbox/policy";

/** Largest script file that is read. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TITLE_CHARS = 80;

export type ScriptText =
  | { readonly ok: true; readonly code: string; readonly title: string }
  | { readonly ok: false; readonly message: string };

/** What a person wrote after `/codemode`: the path of a file, with or without `@`, or else the script itself. */
export async function readScriptText(text: string, cwd: string): Promise<ScriptText> {
  const trimmed = text.trim();
  const name = trimmed.startsWith("@") ? trimmed.slice(1) : trimmed;
  if (!name.includes("\n")) {
    try {
      await using file = await open(resolve(cwd, name));
      const stat = await file.stat();
      if (stat.isFile()) {
        if (stat.size > MAX_FILE_BYTES)
          return { ok: false, message: `${name} is larger than ${MAX_FILE_BYTES} bytes.` };
        return { ok: true, code: await file.readFile("utf8"), title: name };
      }
    } catch (error) {
      if (trimmed.startsWith("@") || looksLikePath(name))
        return {
          ok: false,
          message: `${name} cannot be read: ${error instanceof Error ? error.message : "unknown error"}`,
        };
    }
  }
  return { ok: true, code: text, title: titleOf(trimmed) };
}

/** The script's first line, as far as it fits. */
function titleOf(script: string): string {
  const [first = "", ...rest] = script.split("\n");
  return showText(rest.length === 0 ? first : `${first} …`, MAX_TITLE_CHARS);
}

function looksLikePath(text: string): boolean {
  return /^[\w./~-]+\.[cm]?[jt]s$/.test(text);
}
