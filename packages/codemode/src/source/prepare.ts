/**
 * Reads what a model sent as a script and makes it a program that an engine can run.
 *
 * The source is parsed alone, as JavaScript first and as TypeScript only if that fails, before anything of ours
 * goes around it: text that does not balance by itself is an error in its own place and never closes the wrapper.
 * What comes out is one async arrow function. Its own lines start below a line of ours, so an engine that is told
 * `lineOffset` reports the script's lines; types are replaced by spaces and forms are rewritten in place, so
 * columns stay too. The one exception is told in `shifts`.
 */
import type { AnyNode } from "acorn";
import { type BodyForm, expressionForm, PLAIN_FORM, readBodyForm } from "./body-form.ts";
import { applyEdits, type ColumnShift } from "./edits.ts";
import { foreignFence, isFencedTemplate, mayBeFenced, unfence } from "./fence.ts";
import { mayGoOn } from "./may-go-on.ts";
import { blankMagicComments } from "./magic-comments.ts";
import { rewriteModule } from "./module-form.ts";
import { isWrapped, mayBeTypes, parseExpression, parseScript, type ParseOutcome } from "./parse.ts";
import { replacedNames } from "./replaced-names.ts";
import type { SourceError } from "./source-error.ts";
import { inPlainWords } from "./syntax-words.ts";
import { chooseError, StripperBrokenError, stripScriptTypes, type StripTypes } from "./typescript.ts";
import { unclosedStringAbove } from "./unclosed-string.ts";

export type ScriptLanguage = "javascript" | "typescript";

export interface PreparedScript {
  readonly ok: true;
  /** The text of one async arrow function to be called without arguments: `(async () => { … })`. */
  readonly program: string;
  /** Add this to a line that the engine reports to get the script's own. */
  readonly lineOffset: number;
  /** The returned value is a trailing expression: it is the result only when the script printed nothing. */
  readonly trailing: boolean;
  /** Work that the script does not await may go on after its end. */
  readonly mayGoOn: boolean;
  readonly language: ScriptLanguage;
  /** What was understood between the lines, for the record; each a sentence. */
  readonly notes: readonly string[];
  /** Places where the engine's columns are too large; at most one. */
  readonly shifts: readonly ColumnShift[];
}

export type PrepareOutcome = PreparedScript | { readonly ok: false; readonly error: SourceError };

export interface PrepareOptions {
  /** Removes types; without it TypeScript is a syntax error. */
  readonly strip?: StripTypes;
}

/**
 * Makes a program of a script, or says why it cannot be read. Throws only {@link StripperBrokenError}, so that a
 * process whose stripper broke does not read another script with it.
 */
export function prepareSource(code: string, options: PrepareOptions = {}): PrepareOutcome {
  try {
    return read(code, options.strip, MAX_FENCES);
  } catch (thrown) {
    if (thrown instanceof StripperBrokenError) throw thrown;
    // Only the end of the stack leads here: everything else is a value by now.
    return {
      ok: false,
      error: { name: "RangeError", message: "The script is nested too deeply to be read" },
    };
  }
}

/** Fences inside each other that are opened: every one costs a whole reading. */
const MAX_FENCES = 2;

function read(source: string, strip: StripTypes | undefined, fences: number): PrepareOutcome {
  const fenced = mayBeFenced(source);
  const javascript = readJavaScript(source, "javascript", fenced);
  if (javascript.ok || javascript.final) return javascript;
  let error = javascript.error;
  if (strip !== undefined && javascript.offset >= 0 && mayBeTypes(error)) {
    const stripped = stripScriptTypes(source, strip);
    if (stripped.ok) {
      const typescript = readJavaScript(stripped.code, "typescript", fenced);
      if (typescript.ok || typescript.final) return typescript;
      error = laterError(error, typescript.error);
    } else {
      const chosen = chooseError(source, javascript, stripped);
      error = unclosedStringAbove(source, chosen.line ?? 0) ?? chosen;
    }
  }
  const inner = fenced ? unfence(source) : undefined;
  if (inner === undefined) {
    const foreign = fenced ? foreignFence(source, error.line ?? 0) : undefined;
    if (foreign !== undefined) return { ok: false, error: { name: "SyntaxError", message: foreign } };
    return { ok: false, error: inPlainWords(source, error, javascript) };
  }
  if (!inner.ok) return inner;
  if (fences === 0) {
    const message = `The script stands in more than ${MAX_FENCES} Markdown fences; send it without fences`;
    return { ok: false, error: { name: "SyntaxError", message } };
  }
  const outcome = read(inner.code, strip, fences - 1);
  return outcome.ok
    ? { ...outcome, notes: ["The code inside the Markdown fence was run", ...outcome.notes] }
    : outcome;
}

type Reading =
  | PreparedScript
  | { readonly ok: false; readonly final: boolean; readonly error: SourceError; readonly offset: number };

/** Reads a text as JavaScript in one of its three forms. `final` failures leave nothing else to try. */
function readJavaScript(source: string, language: ScriptLanguage, fenced: boolean): Reading {
  const body = parseScript(source);
  if (body.ok) {
    if (fenced && isFencedTemplate(body.program)) {
      const error = {
        name: "SyntaxError",
        message: "The script is inside a Markdown fence that holds no code",
      };
      // It has been read, without types: there is nothing to remove.
      return { ok: false, final: false, error, offset: -1 };
    }
    return build(source, language, readBodyForm(source, body.program), body.program);
  }
  if (body.offset < 0) return { ...body, final: true };
  if (/\b(?:import|export)\b/.test(source)) {
    const module = readModule(source, language);
    if (module.ok || module.final) return module;
    return { ...module, error: laterError(body.error, module.error) };
  }
  const expression = parseExpression(source);
  if (expression !== undefined)
    return build(source, language, expressionForm(source, expression), expression);
  return { ...body, final: false };
}

function readModule(source: string, language: ScriptLanguage): Reading {
  const parsed = parseScript(source, "module");
  if (!parsed.ok) return { ...parsed, final: false };
  const rewritten = rewriteModule(source, parsed.program);
  if (!rewritten.ok) return { ...rewritten, final: true, offset: 0 };
  const body: ParseOutcome = parseScript(rewritten.code);
  if (!body.ok) return { ...body, final: false };
  const form =
    rewritten.tail === ""
      ? readBodyForm(rewritten.code, body.program)
      : { ...PLAIN_FORM, tail: rewritten.tail, notes: ["The default export was taken as the script"] };
  return build(rewritten.code, language, form, body.program);
}

function laterError(first: SourceError, second: SourceError): SourceError {
  return (second.line ?? 0) > (first.line ?? 0) ? second : first;
}

function build(source: string, language: ScriptLanguage, form: BodyForm, root: AnyNode): Reading {
  // `#!` is legal only as the first thing of a file; as a comment it keeps its width.
  const body = applyEdits(source, form.edits).replace(/^#!/, "//");
  const head = keptNames(root) + form.head;
  const program = `(async () => {${head}\n${body}\n${form.tail}})`;
  // A body that stands as it was read cannot leave the wrapper; one that was changed has to show it.
  if ((form !== PLAIN_FORM || head !== "") && !isWrapped(program)) {
    const error = { name: "SyntaxError", message: "The script cannot be read as one function" };
    return { ok: false, final: false, error, offset: 0 };
  }
  const { trailing, notes, shifts } = form;
  return {
    ok: true,
    program: blankMagicComments(program),
    lineOffset: -1,
    trailing,
    mayGoOn: mayGoOn(source),
    language,
    notes,
    shifts,
  };
}

/**
 * In the built-in codemode `tools` and `console` are parameters of the script: `var tools` keeps the value, and an
 * assignment replaces it. Where a script does one of these, they are its own variables here too. A directive has to
 * stand in front of them to be one.
 */
function keptNames(root: AnyNode): string {
  const names = replacedNames(root, ["tools", "console"]);
  if (names.length === 0) return "";
  const strict =
    root.type === "Program" &&
    root.body.some((node) => "directive" in node && node.directive === "use strict");
  const kept = names.map((name) => `${name}=globalThis.${name}`).join(",");
  return `${strict ? '"use strict";' : ""}var ${kept};`;
}
