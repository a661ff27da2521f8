import type { TestExpression, Word as ParsedWord } from "unbash";

import { addDoubt, type Analysis } from "./analysis.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { literalWord, type ShellWord } from "./shell-word.ts";
import { readWord, type WordReader } from "./words.ts";

/** The words of a `[[ ]]` expression; what it evaluates is noted. */
export function readTest(reader: WordReader, node: TestExpression, words: ShellWord[]): void {
  const { analysis } = reader;
  const add = (word: ParsedWord) => words.push(...readWord(reader, word));
  switch (node.type) {
    case "TestUnary":
      words.push(literalWord(node.operator));
      add(node.operand);
      if (node.operator === "-v" || node.operator === "-R") checkSubscript(analysis, words.at(-1));
      return;
    case "TestBinary": {
      add(node.left);
      const left = words.at(-1);
      words.push(literalWord(node.operator));
      add(node.right);
      if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
        checkArithmetic(analysis, left?.value ?? left?.raw ?? "", reader.scope.text);
        checkArithmetic(analysis, words.at(-1)?.value ?? words.at(-1)?.raw ?? "", reader.scope.text);
      }
      return;
    }
    case "TestLogical":
      node.operands.forEach((operand, index) => {
        if (index > 0) words.push(literalWord(node.operator));
        readTest(reader, operand, words);
      });
      return;
    case "TestNot":
      words.push(literalWord("!"));
      readTest(reader, node.operand, words);
      return;
    case "TestGroup":
      words.push(literalWord("("));
      readTest(reader, node.expression, words);
      words.push(literalWord(")"));
  }
}

/** A variable name that a command is given as a word: its subscript would be evaluated. */
function checkSubscript(analysis: Analysis, word: ShellWord | undefined): void {
  if (word === undefined) return;
  if (word.value !== undefined && /^[A-Za-z_]\w*(\[(\d+|[@*])\])?$/.test(word.value)) return;
  if (word.value !== undefined && !word.value.includes("[")) return;
  addDoubt(analysis, "evaluates-argument", `${word.raw} is evaluated as a variable, subscript included`);
}
