import type { ScriptErrorKind } from "@nestbox/codemode";

/** How `nestbox` ends; the README lists them. */
export const exitCodes = {
  ok: 0,
  /** The script threw, or is not valid JavaScript or TypeScript. */
  script: 1,
  /** Wrong words on the command line, or a file that cannot be used. */
  usage: 2,
  /** The policy denied a call and the script did not catch it. */
  policy: 3,
  /** Time, memory or another limit. */
  limit: 4,
  /** No sandbox: no fitting Node, or its process died. */
  sandbox: 5,
  /** A repetition did not go as it was recorded. */
  diverged: 6,
  /** The fleet's server does not answer or refuses, or a run that was waited for is halted. */
  fleet: 7,
  aborted: 130,
} as const;

export function exitCodeOf(kind: ScriptErrorKind): number {
  switch (kind) {
    case "script":
      return exitCodes.script;
    case "policy":
      return exitCodes.policy;
    case "timeout":
    case "memory":
    case "limit":
      return exitCodes.limit;
    case "aborted":
      return exitCodes.aborted;
    case "sandbox":
      return exitCodes.sandbox;
  }
}
