// Characters that some file systems ignore, and that no screen shows.
const ignorable = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f]/g;
const spaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const plainAscii = /^[\u0020-\u007e]*$/;

/**
 * A path as a deny or ask compares it: case, Unicode form, ignorable characters, typographic quotes and odd spaces
 * folded, because some volume or tool takes them for the same name. Look-alike letters stay different names.
 */
export function foldLoosely(path: string): string {
  if (plainAscii.test(path)) return path.toLowerCase();
  return (
    path
      .normalize("NFC")
      .replace(ignorable, "")
      .replace(spaces, " ")
      .replaceAll("\u2019", "'")
      // Through upper case first: some letters have a capital that is another letter's.
      .toUpperCase()
      .toLowerCase()
  );
}

/** A path as an allow compares it: only what the volume itself folds. */
export function foldStrictly(
  path: string,
  options: { readonly foldsCase: boolean; readonly foldsUnicode: boolean },
): string {
  const formed = options.foldsUnicode ? path.normalize("NFC") : path;
  return options.foldsCase ? formed.toLowerCase() : formed;
}
