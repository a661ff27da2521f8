import { delimiter, isAbsolute } from "node:path";

/**
 * What a command inherits unless `envAllow` says otherwise: where programs and the home are, the language and the
 * temp folder. No token, no key, no agent socket, no `NODE_OPTIONS`.
 */
export const defaultEnvAllow: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
];

/**
 * The environment of a command: the allowed names of `source`, then `env`. A name that ends in `*` is a prefix.
 * Relative entries of an inherited `PATH` are dropped, so that no folder can offer its own `git`.
 */
export function commandEnv(
  source: Readonly<Record<string, string | undefined>>,
  allow: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const out = new Map<string, string>();
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || !allow.some((pattern) => matches(pattern, name))) continue;
    out.set(name, name.toUpperCase() === "PATH" ? absoluteEntries(value) : value);
  }
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) out.delete(name);
    else out.set(name, value);
  }
  return Object.fromEntries(out);
}

function matches(pattern: string, name: string): boolean {
  // Windows names are written in any case; elsewhere `Path` is another variable, which nobody sets.
  const upper = name.toUpperCase();
  const wanted = pattern.toUpperCase();
  return wanted.endsWith("*") ? upper.startsWith(wanted.slice(0, -1)) : upper === wanted;
}

function absoluteEntries(path: string): string {
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}
