import { homedir, tmpdir } from "node:os";
import { createRedactor, type Redactor, type RedactorOptions } from "../redact.ts";

export interface HostRedactorOptions extends RedactorOptions {
  /** Whose secrets must not show. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Names whose values are secrets, wherever they are printed. */
const secretName =
  /(?:token|secret|password|passwd|credential|api_?key|private_?key|access_?key|auth(?!or(?!iz)))/i;
/** A name that says "secret" and holds a path, a number, a switch or the address of a server holds no secret. */
const plainValue = /^(?:[\d.,:]*|true|false|yes|no|on|off|none|[./~].*|https?:\/\/[\w.:-]+\/?)$/i;

/**
 * A redactor that knows this machine: its home folder becomes `~`, and the value of every environment variable that is
 * named like a secret is taken out by value, whatever its shape.
 */
export function createHostRedactor({ env = process.env, ...options }: HostRedactorOptions = {}): Redactor {
  const values = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && secretName.test(name) && !plainValue.test(value)
      ? [value]
      : [],
  );
  const home = env["HOME"] ?? env["USERPROFILE"];
  const homes = [homedir(), ...(home === undefined ? [] : [home])].filter((path) => path !== tmpdir());
  return createRedactor({
    ...options,
    values: [...(options.values ?? []), ...values],
    homes: [...(options.homes ?? []), ...homes],
  });
}
