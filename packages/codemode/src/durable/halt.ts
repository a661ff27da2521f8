/** A run stopped without an end: nothing was called for it, and it stays as the journal has it. */
export type Halt =
  /** The engine, the limits or the tools are not those with which the run began. */
  | { readonly kind: "changed"; readonly differences: readonly Change[]; readonly message: string }
  /** The script did something else than the journal says it did. */
  | ({ readonly kind: "diverged" } & Divergence)
  /** The journal could not be read or kept, or another process has taken the run over. */
  | { readonly kind: "journal"; readonly message: string }
  /** No sandbox could be had, or it died, or the runner was closed: the run can go on in another one. */
  | { readonly kind: "sandbox"; readonly message: string }
  /** This process was asked to let go of the run; what was under way has been kept. */
  | { readonly kind: "released"; readonly message: string };

export interface Change {
  /** For example `v8`, `tz`, `tool deploy`. */
  readonly part: string;
  /** Empty: it was not there. */
  readonly recorded: string;
  /** Empty: it is not there now. */
  readonly now: string;
}

export interface Divergence {
  readonly place: "start" | "call" | "turn" | "end";
  /** Number of the call, from 1. */
  readonly call?: number;
  /** 1-based line of the script, where known. */
  readonly line?: number;
  readonly recorded: string;
  readonly came: string;
  readonly message: string;
}

export function divergence(found: Omit<Divergence, "message">): Extract<Halt, { kind: "diverged" }> {
  const { place, call, line, recorded, came } = found;
  const where =
    place === "call" && call !== undefined
      ? `at call ${call}`
      : place === "start"
        ? "at its start"
        : place === "end"
          ? "at its end"
          : "between two turns";
  const at = line === undefined ? "" : `, line ${line}`;
  return {
    kind: "diverged",
    ...found,
    message: `The script diverged from its journal ${where}${at}: recorded ${recorded}, came ${came}`,
  };
}

/** Tools and functions are told by name, and what became of them: their hashes say nothing to anybody. */
export function changed(differences: readonly Change[]): Extract<Halt, { kind: "changed" }> {
  const named = ["tool", "function"].flatMap((what) => {
    const own = differences.filter(({ part }) => part.startsWith(`${what} `));
    const told = (fate: string, changes: readonly Change[]): readonly string[] =>
      changes.length === 0
        ? []
        : [`${fate} ${what}${changes.length === 1 ? "" : "s"} ${listOf(changes, what.length + 1)}`];
    return [
      ...told(
        "changed",
        own.filter(({ recorded, now }) => recorded !== "" && now !== ""),
      ),
      ...told(
        "removed",
        own.filter(({ now }) => now === ""),
      ),
      ...told(
        "added",
        own.filter(({ recorded }) => recorded === ""),
      ),
    ];
  });
  const others = differences.filter(({ part }) => !/^(?:tool|function) /.test(part));
  const engine = others
    .slice(0, MAX_TOLD)
    .map(({ part, recorded, now }) => `${part} was ${recorded || "absent"} and is ${now || "absent"}`);
  const more = others.length > MAX_TOLD ? [`and ${others.length - MAX_TOLD} more`] : [];
  return {
    kind: "changed",
    differences,
    message: `The run cannot go on here, it began under other conditions: ${[...named, ...engine, ...more].join("; ")}`,
  };
}

/** Names that are told of each kind, and parts of the engine. */
const MAX_TOLD = 10;

function listOf(changes: readonly Change[], prefix: number): string {
  const names = changes.slice(0, MAX_TOLD).map(({ part }) => part.slice(prefix));
  const more = changes.length > MAX_TOLD ? ` and ${changes.length - MAX_TOLD} more` : "";
  return `${names.join(", ")}${more}`;
}

/** Members of two flat records that differ. */
export function differencesOf(
  recorded: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly Change[] {
  const parts = [...new Set([...Object.keys(recorded), ...Object.keys(now)])];
  const at = (record: Readonly<Record<string, string>>, part: string): string =>
    Object.hasOwn(record, part) ? (record[part] ?? "") : "";
  return parts
    .filter((part) => at(recorded, part) !== at(now, part))
    .map((part) => ({ part, recorded: at(recorded, part), now: at(now, part) }));
}
