import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

import { tell } from "../tell.ts";
import type { TraceRecorder } from "./recorder.ts";
import { traceLines } from "./trace-lines.ts";

/** Registers `/trace` and `/trace export <file>`. */
export function registerTraceCommand(pi: ExtensionAPI, recorder: TraceRecorder): void {
  pi.registerCommand("trace", {
    description: "Show the calls of the last run as a tree, or export them as JSON",
    async handler(args, context) {
      if (!recorder.on) return tell(context, "Traces are off: nestbox.traces in Pi's settings.", "warning");
      const [verb = "", ...rest] = args.trim().split(/\s+/);
      const file = rest.join(" ");
      if (verb !== "" && (verb !== "export" || file === ""))
        return tell(context, "Usage: /trace, /trace export <file>", "warning");
      const trace = recorder.last();
      if (trace === undefined) return tell(context, "No call was made yet.");
      if (verb === "") return tell(context, traceLines(trace).join("\n"));
      const path = resolve(context.cwd, file);
      try {
        // Never over another file, and for nobody else's eyes: arguments stand in it.
        await writeFile(path, `${JSON.stringify(trace, null, 2)}\n`, { flag: "wx", mode: 0o600 });
      } catch (error) {
        const why = error instanceof Error ? error.message : "unknown error";
        return tell(context, `The trace was not written: ${why}`, "error");
      }
      return tell(context, `The trace was written to ${path}.`);
    },
  });
}
