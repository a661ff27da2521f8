import type { Program } from "acorn";
import { applyEdits, blank, type Edit, freeName, positionAt } from "./edits.ts";
import { callText, isCalledByScript } from "./script-call.ts";
import { type SourceError, sourceError } from "./source-error.ts";
import { isFunction } from "./walk.ts";

/** What to tell a script that tries to load code: what there is instead. */
export const NO_MODULES =
  "there are no modules here, no file system and no network; call tools with `await tools.<name>(args)`, and find them with `await searchTools(query)`";

export type ModuleOutcome =
  | { readonly ok: true; readonly code: string; readonly tail: string }
  | { readonly ok: false; readonly error: SourceError };

/**
 * Turns a script written as a module into a body of the same lines and columns: `export` is blanked out, and a
 * default export becomes the result (`tail` is the statement that returns it). Imports are refused.
 */
export function rewriteModule(source: string, program: Program): ModuleOutcome {
  const edits: Edit[] = [];
  let tail = "";
  for (const node of program.body) {
    if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") {
      return {
        ok: false,
        error: refuse(source, node.start, node.type === "ImportDeclaration" ? "import" : "export"),
      };
    }
    if (node.type === "ExportNamedDeclaration") {
      if (node.source != null) return { ok: false, error: refuse(source, node.start, "export") };
      const end = node.declaration?.start ?? node.end;
      edits.push({ start: node.start, end, text: blank(source.slice(node.start, end)) });
      continue;
    }
    if (node.type !== "ExportDefaultDeclaration") continue;
    const { declaration } = node;
    const head = source.slice(node.start, declaration.start);
    const isDeclaration =
      declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
    if (isDeclaration && declaration.id !== null) {
      edits.push({ start: node.start, end: declaration.start, text: blank(head) });
      const { name } = declaration.id;
      if (!isCalledByScript(program, name))
        tail = `;return ${name}${declaration.type === "FunctionDeclaration" ? callText(declaration) : ""}`;
      continue;
    }
    if (declaration.type === "Identifier" && isCalledByScript(program, declaration.name)) {
      // It has run by then, and its effects with it: only the name is left.
      edits.push({ start: node.start, end: declaration.start, text: padTo("void ", head) });
      continue;
    }
    const name = freeName(source);
    edits.push({ start: node.start, end: declaration.start, text: padTo(`var ${name}=`, head) });
    // Behind an anonymous function declaration no semicolon is needed, behind an expression it is.
    if (isDeclaration) edits.push({ start: node.end, end: node.end, text: ";" });
    if (declaration.type === "ClassDeclaration" || declaration.type === "ClassExpression")
      tail = `;return ${name}`;
    else if (isFunction(declaration)) tail = `;return ${name}${callText(declaration)}`;
    else tail = `;return typeof ${name}==="function"?${name}():${name}`;
  }
  return { ok: true, code: applyEdits(source, edits), tail };
}

function refuse(source: string, offset: number, word: string): SourceError {
  return sourceError(
    source,
    "SyntaxError",
    `A script cannot ${word}: ${NO_MODULES}`,
    positionAt(source, offset),
  );
}

/** `text` as wide as `head`, so that what follows stays in its column; line breaks of `head` are kept. */
function padTo(text: string, head: string): string {
  return head.length <= text.length ? text : text + blank(head.slice(text.length));
}
