import type { Discovery } from "@nestbox/codemode";

import type { Completer } from "./lines.ts";

const GLOBALS = [
  "tools",
  "ALL_TOOLS",
  "searchTools",
  "describeTool",
  "describeNamespace",
  "ctx",
  "text",
  "image",
  "console",
  "store",
  "load",
  "await",
  "JSON",
  "Object",
  "Promise",
];

/** Completes tools after `tools.`, names in the quotes of a function that takes one, and what is declared. */
export function createCompleter(
  discovery: Pick<Discovery, "allTools">,
  namespaces: readonly string[],
  declared: () => Iterable<string>,
): Completer {
  const tools = discovery.allTools().map(({ name }) => name);
  const starting = (names: Iterable<string>, part: string): [readonly string[], string] => [
    [...new Set(names)].filter((name) => name.startsWith(part)).toSorted(),
    part,
  ];
  return (line) => {
    const tool = /\btools\.([\w$]*)$/.exec(line)?.[1];
    if (tool !== undefined) return starting(tools, tool);
    const named = /\b(executeTool|describeTool|describeNamespace)\(\s*["'`]([\w$-]*)$/.exec(line);
    if (named !== null)
      return starting(named[1] === "describeNamespace" ? namespaces : tools, named[2] ?? "");
    const word = /(?:^|[^\w$.])([A-Za-z_$][\w$]*)$/.exec(line)?.[1];
    return word === undefined ? [[], ""] : starting([...GLOBALS, ...declared()], word);
  };
}
