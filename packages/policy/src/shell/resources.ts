import type { ResourceAction, ResourceFact } from "../subject.ts";
import type { Folders } from "./analysis.ts";
import { isAbsolutePath } from "./folders.ts";
import type { ShellWord } from "./shell-word.ts";

export interface PathOptions {
  readonly tree?: boolean;
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
  const extent = options.tree === true ? "tree" : word.glob === true ? "glob" : "exact";
  const fixed = value !== undefined && (isAbsolutePath(value) || value === "~" || value.startsWith("~/"));
  const bases = fixed ? folders.slice(0, 1) : folders;
  return bases.map((base) => ({
    action,
    kind: "path" as const,
    value,
    extent,
    ...(base === undefined ? {} : { base }),
    origin,
    ...(options.possible === true ? { possible: true as const } : {}),
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

/** `https://user@host:port/…`, `host/path` and `user@host:path` all name a host. */
export function hostOf(value: string): string | undefined {
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(value);
  if (url !== null) return url[1]?.toLowerCase();
  const bare = /^(?:[^/?#@\s]*@)?(\[[^\]]*\]|[^/?#:\s]+)/.exec(value);
  return bare?.[1]?.toLowerCase();
}

export function hostFact(word: ShellWord | undefined, origin: string): ResourceFact {
  const value = word?.value === undefined || word.glob === true ? undefined : hostOf(word.value);
  // A host that is written out before the first expansion of the path is known: `https://x.test/$id`.
  const known =
    value ?? /^[a-z][a-z0-9+.-]*:\/\/([^/?#@:$\s]+)\//i.exec(word?.prefix ?? "")?.[1]?.toLowerCase();
  return { action: "network", kind: "host", value: known, origin };
}
