const unicodeSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/**
 * A path argument as Pi's tools read it: odd spaces are spaces, a leading `@` is dropped, and a `file:` URL is the
 * path that it names.
 */
export function toolPath(value: string): string {
  const text = value.replace(unicodeSpaces, " ");
  const bare = text.startsWith("@") ? text.slice(1) : text;
  return /^file:/i.test(bare.trimStart()) ? fileUrlPath(bare.trim()) : bare;
}

function fileUrlPath(value: string): string {
  try {
    const url = new URL(value);
    const path = decodeURIComponent(url.pathname);
    const drive = /^\/[A-Za-z]:(\/|$)/.test(path) ? path.slice(1) : path;
    return url.hostname === "" || url.hostname === "localhost" ? drive : `//${url.hostname}${drive}`;
  } catch {
    return value.replace(/^file:\/*/i, "/");
  }
}
