/** What a sed script does beside printing. `undefined`: it could not be read to its end. */
export interface SedScript {
  readonly runs: boolean;
  /** Of what it runs: the text that stands in the script. */
  readonly lines: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** Reads a sed script by its grammar: addresses, commands, and the texts that belong to them. */
export function readSedScript(script: string): SedScript | undefined {
  const reads: string[] = [];
  const writes: string[] = [];
  const lines: string[] = [];
  let runs = false;
  let at = 0;

  const skipDelimited = (delimiter: string): boolean => {
    let inClass = false;
    for (; at < script.length; at++) {
      const char = script[at];
      if (char === "\\") at++;
      else if (char === "[" && !inClass && delimiter !== "[") {
        inClass = true;
        // A `]` right after `[` or `[^` is literal.
        if (script[at + 1] === "^") at++;
        if (script[at + 1] === "]") at++;
      } else if (char === "]" && inClass) inClass = false;
      else if (char === delimiter && (!inClass || !script.slice(at).includes("]"))) {
        at++;
        return true;
      } else if (char === "\n" && delimiter !== "\n") inClass = false;
    }
    return false;
  };

  const restOfLine = (): string => {
    const end = script.indexOf("\n", at);
    const text = script.slice(at, end === -1 ? undefined : end).trim();
    at = end === -1 ? script.length : end + 1;
    return text;
  };

  const skipAddress = (): boolean => {
    for (;;) {
      while (/[\s;{}]/.test(script[at] ?? "")) at++;
      const char = script[at];
      if (char === undefined) return true;
      if (/[\d$,+~!]/.test(char)) at++;
      else if (char === "/" || char === "\\") {
        let delimiter = char;
        at++;
        if (char === "\\") {
          delimiter = script[at] ?? "";
          at++;
        }
        if (!skipDelimited(delimiter)) return false;
        while (/[IM]/.test(script[at] ?? "")) at++;
      } else return true;
    }
  };

  while (at < script.length) {
    if (!skipAddress()) return undefined;
    const command = script[at];
    if (command === undefined) break;
    at++;
    switch (command) {
      case "#":
      case ":":
      case "b":
      case "t":
      case "T":
        if (command === "#" || command === ":") restOfLine();
        else while (at < script.length && !/[;\n}]/.test(script[at] ?? "")) at++;
        break;
      case "a":
      case "i":
      case "c":
        // Text up to a line end that has no backslash before it.
        while (at < script.length && !(script[at] === "\n" && script[at - 1] !== "\\")) at++;
        break;
      case "e":
        runs = true;
        lines.push(restOfLine());
        break;
      case "r":
      case "R":
        reads.push(restOfLine());
        break;
      case "w":
      case "W":
        writes.push(restOfLine());
        break;
      case "s":
      case "y": {
        const delimiter = script[at] ?? "";
        at++;
        if (delimiter === "" || !skipDelimited(delimiter)) return undefined;
        const start = at;
        for (; at < script.length && script[at] !== delimiter; at++) if (script[at] === "\\") at++;
        const replacement = script.slice(start, at);
        if (script[at] !== delimiter) return undefined;
        at++;
        if (command === "y") break;
        while (at < script.length && /[gpieImM\d w]/.test(script[at] ?? "")) {
          const flag = script[at];
          at++;
          if (flag === "e") {
            runs = true;
            lines.push(replacement);
          }
          if (flag === "w") {
            writes.push(restOfLine());
            break;
          }
        }
        break;
      }
      default:
        if (!/[=dDgGhHlLnNpPqQxzFvV]/.test(command)) return undefined;
        while (/[\d\s.]/.test(script[at] ?? "") && script[at] !== "\n") at++;
    }
  }
  return { runs, lines, reads, writes };
}
