import { addUsage, type ToolUsage } from "@nestbox/tool";
import type { ModelGlobalsOptions } from "../models/model-globals.ts";
import { isRecord } from "../shared/guards.ts";
import type { ScriptCall } from "../types.ts";
import type { CallRows } from "./call-rows.ts";

/** The calls of models that one script makes: a row for each, and what they cost. */
export interface ModelCalls {
  readonly onCall: NonNullable<ModelGlobalsOptions["onCall"]>;
  /** What they have cost; undefined when no provider said so. */
  usage(): ToolUsage | undefined;
  /** Images that they have drawn. */
  images(): number;
  /** The calls of tools with those of models among them, in the order in which they began. */
  among(calls: readonly ScriptCall[]): readonly ScriptCall[];
}

export function createModelCalls(toolCallId: string, rows: CallRows): ModelCalls {
  const calls: { readonly place: number; call: ScriptCall }[] = [];
  let usage: ToolUsage | undefined;
  let images = 0;
  return {
    onCall(name, model) {
      const startedAt = performance.now();
      const id = `${toolCallId}/${name}/${calls.length + 1}`;
      const entry = {
        place: rows.started(),
        call: { id, name, status: "running", began: true } as ScriptCall,
      };
      calls.push(entry);
      const end = rows.start(id, name, model);
      return (result) => {
        const status =
          result.stopReason === "stop" ? "ok" : result.stopReason === "aborted" ? "cancelled" : "error";
        entry.call = { ...entry.call, status };
        end({
          status,
          durationMs: performance.now() - startedAt,
          error: result.errorMessage || undefined,
          cost: result.usage?.cost.total,
        });
        if (result.usage !== undefined)
          usage = usage === undefined ? result.usage : addUsage(usage, result.usage);
        const output: unknown = Reflect.get(result, "output");
        if (Array.isArray(output)) {
          images += output.filter((block) => isRecord(block) && block["type"] === "image").length;
        }
      };
    },
    usage: () => usage,
    images: () => images,
    among(tools) {
      const all: ScriptCall[] = [];
      let next = 0;
      for (const { place, call } of calls) {
        while (all.length < place && next < tools.length) all.push(...tools.slice(next, ++next));
        all.push(call);
      }
      return [...all, ...tools.slice(next)];
    },
  };
}
