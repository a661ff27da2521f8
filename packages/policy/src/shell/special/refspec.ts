import type { ResourceFact } from "../../subject.ts";
import type { ShellWord } from "../shell-word.ts";

/** What `git push` was told about all refs together. */
export interface PushMode {
  readonly force: boolean;
  readonly delete: boolean;
  readonly origin: string;
  /** Folder of the repository, where it is known. */
  readonly base: string | undefined;
}

/**
 * One refspec of a push, `[+]source[:destination]`, as the change of its destination. The name is without
 * `refs/heads/` and `refs/tags/`; `undefined` where the words do not name it (`HEAD`, `:`, an expansion).
 */
export function pushedRef(word: ShellWord, mode: PushMode): ResourceFact {
  const { origin } = mode;
  const written = word.value ?? word.prefix;
  const force = mode.force || written.startsWith("+");
  const fact = (action: "write" | "delete", value: string | undefined): ResourceFact => ({
    action,
    kind: "ref",
    value: value === undefined || value === "" ? undefined : value,
    extent: value?.includes("*") === true ? "glob" : "exact",
    force,
    ...(mode.base === undefined ? {} : { base: mode.base }),
    origin,
  });
  if (word.value === undefined) return fact(mode.delete ? "delete" : "write", undefined);
  const spec = written.startsWith("+") ? written.slice(1) : written;
  if (mode.delete) return fact("delete", shortRef(spec));
  const colon = spec.indexOf(":");
  if (colon === -1) return fact("write", isHead(spec) ? undefined : shortRef(spec));
  const destination = spec.slice(colon + 1);
  if (colon === 0 && destination !== "") return fact("delete", shortRef(destination));
  if (destination === "")
    return fact(
      "write",
      colon === 0 || isHead(spec.slice(0, colon)) ? undefined : shortRef(spec.slice(0, colon)),
    );
  return fact("write", isHead(destination) ? undefined : shortRef(destination));
}

function isHead(name: string): boolean {
  return name === "HEAD" || name === "@";
}

/** The name that people use: `refs/heads/main` and `heads/main` are `main`. */
export function shortRef(name: string): string {
  return name.replace(/^(refs\/)?(heads|tags)\//, "");
}
