import type { ScriptError } from "../types.ts";

/** Longest script that is looked through, in characters; this runs in the host. */
const MAX_CODE = 50_000;
/** Calls that are looked at. */
const MAX_CALLS = 1_000;
/** What stands in front of the equals sign, as far as it is looked for. */
const MAX_TARGET = 100;

/** What the engine says when a promise is used as if it were what it will give. */
const SYMPTOM =
  /^Cannot (?:read|set) properties of undefined|^Cannot destructure|is not (?:a function|iterable)|"\[object Promise\]" is not valid JSON$/;
/** A line that waits in some way is not what forgot to. */
const WAITS = /\bawait\b|\bPromise\.|\.\s*(?:then|catch|finally)\b/;
const CALL = String.raw`tools(?:\.[\w$]+|\[(?:"[^"\n]{0,100}"|'[^'\n]{0,100}')\])`;
/** Three dots spread a value, one asks something for a member. */
const START = String.raw`(?<![\w$]|(?<!\.\.)\.)`;
const ON_LINE = new RegExp(`${START}(${CALL})\\s*\\(`);
/** A call of which a member's member is asked on its own line. */
const MEMBER = new RegExp(`${START}(${CALL})\\s*\\([^()]*\\)\\s*\\??\\.\\s*[\\w$]+\\s*[.[]`);
/** A call whose promise is given to a variable. */
const GIVEN = new RegExp(`=\\s*(${CALL})\\s*\\(`, "g");
const TARGET = /(?:[\w$]+|\{[^{}]*\}|\[[^\][]*\])\s*$/;
const WORD = /(?<![\w$]|(?<!\.\.)\.)[\w$]+/g;

/**
 * The call of a tool that was not awaited, when an error looks as if its promise had been taken for its result. Reads the
 * text, not the program: it is asked only about a script that has failed, and what it finds is a hint.
 */
export function missingAwait(error: ScriptError, code: string): string | undefined {
  const { name, message, lineText = "" } = error;
  if (error.kind !== "script" || (name !== "TypeError" && name !== "SyntaxError")) return undefined;
  if (!SYMPTOM.test(message) || WAITS.test(lineText)) return undefined;
  // The engine names what is no function and what cannot be gone through, but not what has no members.
  const isNamed = /^tools[.[]|"\[object Promise\]"/.test(message);
  const here = (isNamed ? ON_LINE : MEMBER).exec(lineText)?.[1];
  if (here !== undefined) return told(here, error.line);
  return code.length > MAX_CODE ? undefined : givenEarlier(lineText, code);
}

/** The call whose promise a variable of the line holds, when the script waits for that variable nowhere. */
function givenEarlier(lineText: string, code: string): string | undefined {
  const used = new Set(wordsOf(lineText).filter((word) => !isAwaited(word, code)));
  let calls = 0;
  for (const { 0: text, 1: call = "", index } of code.matchAll(GIVEN)) {
    if (++calls > MAX_CALLS) return undefined;
    const target = TARGET.exec(code.slice(Math.max(0, index - MAX_TARGET), index))?.[0] ?? "";
    if (wordsOf(target).some((word) => used.has(word))) return told(call, lineOf(code, index + text.length));
  }
  return undefined;
}

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => word);
}

function isAwaited(variable: string, code: string): boolean {
  const name = variable.replaceAll("$", String.raw`\$`);
  return new RegExp(`\\b(?:await\\s|Promise\\.\\w+\\([^;]{0,100}?(?<![\\w$]))${name}(?![\\w$])`).test(code);
}

function told(call: string, line: number | undefined): string {
  const place = line === undefined ? "" : ` on line ${line}`;
  return `\`${call}(…)\`${place} is not awaited: its value is a promise, not the result`;
}

function lineOf(code: string, offset: number): number {
  return code.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/).length;
}
