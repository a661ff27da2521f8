import type { ResourceAction, ResourceFact } from "../subject.ts";
import type { Folders } from "./analysis.ts";
import { isAbsolutePath } from "./folders.ts";
import type { ShellWord } from "./shell-word.ts";

export interface PathOptions {
  readonly tree?: boolean;
  readonly within?: boolean;
  readonly follow?: boolean;
  readonly possible?: boolean;
}

const devices = /^\/dev\/(null|zero|full|u?random|stdin|stdout|stderr|tty|fd\/\d+)$/;

/** A path that stands for no file: a standard stream or a bottomless device. */
export function isStream(value: string): boolean {
  return devices.test(value);
}

/** The facts of one path word: one for each folder it may be relative to. */
export function pathFacts(
  action: ResourceAction,
  word: ShellWord,
  folders: Folders,
  origin: string,
  options: PathOptions = {},
): readonly ResourceFact[] {
  if (word.pipe === true) return [];
  const value = pathValue(word);
  if (value !== undefined && isStream(value)) return [];
  const network = value === undefined ? undefined : socketHost(value);
  if (network !== undefined) return [{ action: "network", kind: "host", value: network, origin }];
  const extent =
    options.within === true
      ? "within"
      : options.tree === true
        ? "tree"
        : word.glob === true
          ? "glob"
          : "exact";
  const fixed = value !== undefined && (isAbsolutePath(value) || value === "~" || value.startsWith("~/"));
  const bases = fixed ? folders.slice(0, 1) : folders;
  return bases.map((base) => ({
    action,
    kind: "path" as const,
    value,
    extent,
    ...(base === undefined ? {} : { base }),
    origin,
    ...(options.follow === true ? { follow: true as const } : {}),
    ...(options.possible === true ? { possible: true as const } : {}),
    ...(word.listed === true && value === undefined && action === "read" ? { split: true as const } : {}),
  }));
}

/** What a path word names; a quoted `~` is a name like any other. */
export function pathValue(word: ShellWord): string | undefined {
  if (word.value === undefined) return undefined;
  if (word.tilde !== true && (word.value === "~" || word.value.startsWith("~/"))) return `./${word.value}`;
  return word.value;
}

/** bash opens `/dev/tcp/host/port` as a connection. */
function socketHost(value: string): string | undefined {
  return /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(value)?.[1];
}

/**
 * The host of `https://user@host:port/…`, `host/path` and `user@host:path`, in the one form that a rule compares:
 * lower case, numbers of IPv4 as dotted quads, no final dot. `undefined` where programs would disagree about it.
 */
export function hostOf(value: string): string | undefined {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(value)?.[0] ?? "";
  const authority = /^[^/?#\s]*/.exec(value.slice(scheme.length))?.[0] ?? "";
  const name = authority.slice(authority.lastIndexOf("@") + 1);
  const bare = /^(\[[^\]]*\]|[^:]*)/.exec(name)?.[0] ?? "";
  // Braces are several hosts to curl.
  if (bare === "" || /[\\%{}]/.test(authority)) return undefined;
  try {
    const host = new URL(`https://${bare}`).hostname.replace(/\.+$/, "");
    return host === "" ? undefined : host;
  } catch {
    return undefined;
  }
}

/** A host that is written out before the first expansion or pattern is known: `https://x.test/$id?a=*`. */
const startsWithHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s*[\]]+\//i;

export function hostFact(word: ShellWord | undefined, origin: string): ResourceFact {
  const text = word?.value ?? word?.prefix ?? "";
  const plain = word?.value !== undefined && word.glob !== true;
  return {
    action: "network",
    kind: "host",
    value: plain || startsWithHost.test(text) ? hostOf(text) : undefined,
    origin,
  };
}
