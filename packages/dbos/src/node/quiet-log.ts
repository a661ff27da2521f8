import type { DurableClock } from "@nestbox/codemode/durable";

export type Log = (level: string, message: string) => void;

const EVERY_MS = 60_000;
const MAX_KEPT = 100;
const MAX_KEY_CHARS = 300;

/**
 * A warning or an error that comes again and again, but for its numbers, is said once a minute: DBOS looks for work many
 * times a second, and says each time that it could not.
 */
export function quietLog(log: Log, clock: Pick<DurableClock, "now">): Log {
  const said = new Map<string, { readonly at: number; more: number }>();
  return (level, message) => {
    if (level !== "warn" && level !== "error") return log(level, message);
    const key = `${level} ${message.slice(0, MAX_KEY_CHARS).replace(/\d+(?:\.\d+)?/g, "0")}`;
    const before = said.get(key);
    const now = clock.now();
    if (before !== undefined && now - before.at < EVERY_MS) {
      before.more++;
      return;
    }
    said.delete(key);
    said.set(key, { at: now, more: 0 });
    const oldest = said.keys().next().value;
    if (said.size > MAX_KEPT && oldest !== undefined) said.delete(oldest);
    const more = before?.more ?? 0;
    log(level, more === 0 ? message : `${message} (and ${more} times more since it was last said)`);
  };
}
