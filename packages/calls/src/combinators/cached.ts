import type { ToolCallOptions, ToolCallOutcome } from "@nestbox/tool";
import type { CallerOf } from "./group.ts";

/**
 * The same caller, which lets a `readOnlyHint: true` tool not run again when the same call was made below the same root
 * call, by whomever, and nothing can have changed since: no call of a tool that may change something ran meanwhile or
 * runs, anywhere in the host. Such a call is validated, judged, told and recorded like any other, and its outcome says
 * `cached`. Needs a `ToolHost` or `nestedCalls`; elsewhere every call is made. In Pi see `createSessionCache`.
 *
 * A tool that calls others and changes nothing by itself says `readOnlyHint: true`, or nothing is kept while it runs;
 * what the tool that uses this caller changes by itself it has to know.
 */
export function cached<O extends ToolCallOutcome>(caller: CallerOf<O>): CallerOf<O> {
  return {
    get tools() {
      return caller.tools;
    },
    executeTool: (name, args, options) => {
      const asked: ToolCallOptions & { readonly cached: true } = { ...options, cached: true };
      return caller.executeTool(name, args, asked);
    },
    ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
  };
}
