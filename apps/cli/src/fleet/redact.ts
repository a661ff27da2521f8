/** Takes passwords of addresses out of a text, whoever wrote it. */
export function withoutPasswords(text: string, urls: readonly (string | undefined)[] = []): string {
  let out = text;
  for (const url of urls) {
    for (const secret of secretsOf(url)) out = out.split(secret).join("***");
  }
  // Also of an address that is not ours, for example one that a server tells.
  return out.replace(/([a-z][a-z0-9+.-]*:\/\/[^\s/:@]*):[^\s/@]*@/gi, "$1:***@");
}

/** Longest first, so that no rest of one is left. */
function secretsOf(url: string | undefined): readonly string[] {
  if (url === undefined) return [];
  const found = new Set<string>();
  const written = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^/?#]*)@/i.exec(url)?.[1] ?? "";
  const query = /[?&]password=([^&#]*)/i.exec(url)?.[1] ?? "";
  for (const secret of [written, query]) {
    if (secret === "") continue;
    found.add(secret);
    try {
      found.add(decodeURIComponent(secret));
    } catch {
      // As it is written, then.
    }
  }
  return [...found].toSorted((a, b) => b.length - a.length);
}
