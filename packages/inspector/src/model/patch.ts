import type { FleetList, FleetPatch } from "./fleet.ts";
import type { Run, RunCall, RunHead, RunScript } from "./run.ts";

/** What changed in one run since it was told of last. */
export interface RunPatch {
  readonly run: number;
  readonly head: RunHead;
  /** Present when it changed. */
  readonly script?: RunScript;
  /** Calls that are new or that changed. */
  readonly calls: readonly RunCall[];
}

/** What a page is told over its event stream. */
export type PageMessage =
  | { readonly kind: "runs"; readonly runs: readonly Run[] }
  | { readonly kind: "patch"; readonly patch: RunPatch }
  /** Why what is shown of a run is older than it should be; empty: it is not. */
  | { readonly kind: "trouble"; readonly message: string }
  | { readonly kind: "fleet"; readonly list: FleetList }
  | { readonly kind: "fleet-patch"; readonly patch: FleetPatch };

/** What has to be told of a run that was `before` and is `after`. Undefined: nothing, or that all must be told again. */
export function patchOf(index: number, before: Run, after: Run): RunPatch | "same" | "anew" {
  const old = new Map(before.calls.map((call) => [call.key, call]));
  const calls = after.calls.filter((call) => {
    const known = old.get(call.key);
    old.delete(call.key);
    return known === undefined || !sameCall(known, call);
  });
  // Calls vanish when a file is written by another run.
  if (old.size > 0) return "anew";
  const head = headOf(after);
  const scriptChanged = !same(before.script, after.script);
  const headChanged = !same(headOf(before), head);
  // A patch can bring a script, and take none away.
  if (scriptChanged && after.script === undefined) return "anew";
  if (calls.length === 0 && !scriptChanged && !headChanged) return "same";
  return {
    run: index,
    head,
    ...(scriptChanged && after.script !== undefined ? { script: after.script } : {}),
    calls,
  };
}

/** The run after a patch. */
export function applyPatch(run: Run, { head, script = run.script, calls }: RunPatch): Run {
  const places = new Map(run.calls.map((call, index) => [call.key, index]));
  const next = [...run.calls];
  for (const call of calls) {
    const at = places.get(call.key);
    if (at === undefined) next.push(call);
    else next[at] = call;
  }
  return { ...head, ...(script === undefined ? {} : { script }), calls: next };
}

function headOf({ script: _script, calls: _calls, ...head }: Run): RunHead {
  return head;
}

const fields = [
  "parent",
  "name",
  "startMs",
  "untimed",
  "durationMs",
  "runMs",
  "status",
  "argumentBytes",
  "arguments",
  "resultBytes",
  "result",
  "error",
  "line",
  "updates",
] as const satisfies readonly (keyof RunCall)[];

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function sameCall(a: RunCall, b: RunCall): boolean {
  return (
    fields.every((field) => a[field] === b[field]) &&
    a.decision?.effect === b.decision?.effect &&
    a.decision?.rule === b.decision?.rule &&
    a.decision?.layer === b.decision?.layer &&
    same(a.waits, b.waits) &&
    same(a.script, b.script)
  );
}
