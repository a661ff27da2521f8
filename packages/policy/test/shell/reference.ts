import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { Language, Parser, type Node } from "web-tree-sitter";

const require = createRequire(import.meta.url);

/** A second opinion on what a shell text runs: tree-sitter's grammar of bash. */
export interface ReferenceParser {
  /** Names of commands that stand there literally, and whether the grammar had no complaint. */
  readonly commandNames: (text: string) => { readonly names: readonly string[]; readonly clean: boolean };
}

export async function loadReference(): Promise<ReferenceParser> {
  await Parser.init();
  const wasm = require.resolve("tree-sitter-bash/tree-sitter-bash.wasm");
  const language = await Language.load(new Uint8Array(await readFile(wasm)));
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    commandNames(text) {
      const tree = parser.parse(text);
      if (tree === null) return { names: [], clean: false };
      const names = tree.rootNode
        .descendantsOfType("command_name")
        .flatMap((node) => (node === null || !endsWord(text, node) ? [] : [literalName(node)]))
        .filter((name): name is string => name !== undefined && !reserved.has(name));
      const clean = !tree.rootNode.hasError;
      tree.delete();
      return { names, clean };
    },
  };
}

/** Words of the grammar that tree-sitter takes for commands after `!`. */
const reserved: ReadonlySet<string> = new Set(
  "! time if then else elif fi while until do done for case esac in select function coproc { } [[ ]]".split(
    " ",
  ),
);

/** What tree-sitter-bash 0.25 is known to read in another way than bash does. */
export const referenceErrs = /\r|\\[ \t]|\$\s|@\(|\(\(|\*\S*=/;

/** Nothing is glued to the name that the reference leaves out of it. */
function endsWord(text: string, node: Node): boolean {
  const next = text[node.endIndex];
  return next === undefined || /[\s;&|()<>]/.test(next);
}

/** The name after quote removal, if nothing in it is expanded. */
function literalName(node: Node): string | undefined {
  const inner = node.namedChild(0);
  if (inner === null || node.namedChildCount !== 1) return undefined;
  const { text } = inner;
  if (inner.type === "raw_string") return text.slice(1, -1);
  if (inner.type === "string") return /[$`\\]/.test(text) ? undefined : text.slice(1, -1);
  return inner.type === "word" && !/[\\*?[\]{}$`~]/.test(text) ? text : undefined;
}
