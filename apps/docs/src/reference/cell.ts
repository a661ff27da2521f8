/** An address that stands bare in a text, without the mark that ends its sentence. */
const ADDRESS = /(?<![`(<"\w])https?:\/\/[^\s,;)`<>"|]*[^\s,;)`<>"|.:!?]/g;

/** Text as one cell of a table. An address in it is one to be typed, and leads nowhere. */
export function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll(ADDRESS, (address) => `\`${address}\``);
}
