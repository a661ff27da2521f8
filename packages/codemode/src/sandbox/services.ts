/**
 * What the isolate asks of the sandbox process: pure functions of Node's over primitives and bytes. Everything here
 * is called with data of the script, so every argument is checked and every answer is a primitive or bytes.
 */
import { createHash, randomBytes } from "node:crypto";

const MAX_RANDOM_BYTES = 65_536;
const DIGESTS = new Map([
  ["SHA-1", "sha1"],
  ["SHA-256", "sha256"],
  ["SHA-384", "sha384"],
  ["SHA-512", "sha512"],
]);
const URL_PARTS = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const;
const URL_SETTERS = new Set<string>(URL_PARTS.filter((part) => part !== "origin"));

export interface Services {
  call(operation: string, args: readonly unknown[]): unknown;
}

export function createServices(allToolsText: () => string): Services {
  return {
    call(operation, args) {
      const [a, b, c] = args;
      switch (operation) {
        case "now":
          return performance.now();
        case "tools":
          return allToolsText();
        case "random":
          return new Uint8Array(randomBytes(Math.min(MAX_RANDOM_BYTES, Math.max(0, Number(a) | 0))));
        case "digest": {
          const algorithm = DIGESTS.get(text(a));
          if (algorithm === undefined || !(b instanceof Uint8Array)) return null;
          return new Uint8Array(createHash(algorithm).update(b).digest());
        }
        case "encode":
          return new Uint8Array(Buffer.from(text(a), "utf8"));
        case "decode":
          return decode(a, b, c);
        case "encoding":
          return encodingName(a);
        case "btoa":
          return Buffer.from(text(a), "latin1").toString("base64");
        case "base64":
          return a instanceof Uint8Array
            ? Buffer.from(a.buffer, a.byteOffset, a.byteLength).toString("base64")
            : "";
        case "atob":
          return decodeBase64(text(a));
        case "url":
          return parseUrl(a, b);
        case "url-set":
          return setUrlPart(a, b, c);
        case "query":
          return JSON.stringify([...new URLSearchParams(text(a))]);
        case "query-text":
          return queryText(a);
        default:
          return null;
      }
    },
  };
}

function decode(bytes: unknown, label: unknown, flags: unknown): string | null {
  if (!(bytes instanceof Uint8Array)) return null;
  try {
    const fatal = (Number(flags) & 1) !== 0;
    const ignoreBOM = (Number(flags) & 2) !== 0;
    return new TextDecoder(text(label), { fatal, ignoreBOM }).decode(bytes);
  } catch {
    return null;
  }
}

function encodingName(label: unknown): string | null {
  try {
    return new TextDecoder(text(label)).encoding;
  } catch {
    return null;
  }
}

function decodeBase64(text: string): string | null {
  try {
    return atob(text);
  } catch {
    return null;
  }
}

/** Arguments come as primitives; anything else is no text. */
function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function queryText(json: unknown): string {
  try {
    return new URLSearchParams(JSON.parse(text(json)) as [string, string][]).toString();
  } catch {
    return "";
  }
}

function parseUrl(href: unknown, base: unknown): string | null {
  const url = URL.parse(text(href), base === undefined ? undefined : text(base));
  return url === null ? null : partsOf(url);
}

function setUrlPart(href: unknown, part: unknown, value: unknown): string | null {
  if (typeof part !== "string" || !URL_SETTERS.has(part)) return null;
  const url = URL.parse(text(href));
  if (url === null) return null;
  try {
    Reflect.set(url, part, text(value));
    return partsOf(url);
  } catch {
    return null;
  }
}

function partsOf(url: URL): string {
  return JSON.stringify(URL_PARTS.map((part) => url[part]));
}
