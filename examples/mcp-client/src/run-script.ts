import type { NestedCallsRecord, ToolHost } from "@nestbox/calls";
import { createDiscovery, type ScriptOutcome, type ScriptRunner } from "@nestbox/codemode";

/** Runs one script on the tools of a host, and gives what came of it and of every call. */
export async function runScript(
  { host, runner }: { readonly host: ToolHost; readonly runner: ScriptRunner },
  code: string,
  signal?: AbortSignal,
): Promise<{ readonly outcome: ScriptOutcome; readonly nestedCalls: NestedCallsRecord | undefined }> {
  const aborting = signal === undefined ? {} : { signal };
  const caller = host.caller({ callId: "script-1", toolName: "codemode", ...aborting });
  const { describe, globals } = createDiscovery(caller.tools);
  const outcome = await runner.run({ code, caller, describe, globals, ...aborting });
  const { nestedCalls } = await caller.close();
  return { outcome, nestedCalls };
}
