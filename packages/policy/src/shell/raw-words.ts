/**
 * Every whole word of a text, quotes and backslashes removed, without any idea of grammar: what a deny scans when
 * the grammar gave up. With `loose`, quotes do not hold words together, so the words of a quoted script are there.
 */
export function rawWordsOf(text: string, loose: boolean): string[] {
  const words: string[] = [];
  let word = "";
  let open = false;
  let quote = "";
  const flush = () => {
    if (open) words.push(word);
    word = "";
    open = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'") {
      const next = text[at + 1];
      at++;
      if (next === "\n" || next === undefined) continue;
      if (next === "\r" && text[at + 1] === "\n") {
        at++;
        continue;
      }
      // Inside double quotes a backslash stays before an ordinary character.
      if (quote === '"' && !loose && !'$`"\\'.includes(next)) word += char;
      word += next;
      open = true;
    } else if (quote !== "" && char === quote) quote = "";
    else if (quote === "" && (char === "'" || char === '"')) {
      if (!loose) quote = char;
      open ||= !loose;
    } else if (quote === "" && breaks.has(char)) flush();
    else {
      word += char;
      open = true;
    }
  }
  flush();
  return words;
}

const breaks: ReadonlySet<string> = new Set(" \t\n\r\v\f;&|()<>`\u0000");
