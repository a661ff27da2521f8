import { MAX_LINE_TEXT } from "../source/source-error.ts";
import type { ScriptDiagnostic } from "./check-types.ts";

/** The findings as a model reads them: place, message, the line and a caret below it. */
export function diagnosticsText(diagnostics: readonly ScriptDiagnostic[]): string {
  const count = diagnostics.length;
  const head = `The script was not run: checking it against the tools' declarations found ${count === 1 ? "a mistake" : `${count} mistakes`}.`;
  return [head, ...diagnostics.map(one)].join("\n\n");
}

function one({ line, column, message, lineText }: ScriptDiagnostic): string {
  const place = `codemode.js:${line}:${column}: ${message}`;
  // A caret under a line that is cut in front of it would point nowhere.
  if (lineText === "" || column > MAX_LINE_TEXT) return place;
  return `${place}\n${lineText.slice(0, MAX_LINE_TEXT)}\n${lineText.slice(0, column - 1).replace(/[^\t]/g, " ")}^`;
}
