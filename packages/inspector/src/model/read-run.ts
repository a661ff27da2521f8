/**
 * Reads a trace (`nestbox.call-trace`, version 1) into a run. A file may come from anybody: what has another type is
 * left out, depth costs no stack, and what is too large is refused.
 */
import {
  callStatuses,
  type CallStatus,
  type CallWait,
  type Decision,
  type LimitUse,
  type OutputPiece,
  type Run,
  type RunCall,
  type RunScript,
  type RunStanding,
} from "./run.ts";
import { fleetStates } from "./fleet.ts";

/** Calls of one trace that are read; later ones are counted as omitted. */
export const MAX_CALLS = 100_000;
/** Pieces of output and lines of limits that are read. */
const MAX_ITEMS = 10_000;

export type ReadRun =
  | { readonly ok: true; readonly run: Run }
  | { readonly ok: false; readonly message: string };

/** `value`: the parsed JSON of a trace. `name`: what the run is called on the page. */
export function readRun(name: string, value: unknown): ReadRun {
  if (!isRecord(value) || value["schema"] !== "nestbox.call-trace")
    return { ok: false, message: "it is no trace: `nestbox run --trace` writes one" };
  if (value["version"] !== 1)
    return { ok: false, message: "it is a trace of another version than 1: a newer Nestbox reads it" };
  if (!Array.isArray(value["calls"])) return { ok: false, message: "the trace has no list of calls" };
  const script = isRecord(value["script"]) ? readScript(value["script"]) : undefined;
  const standing = isRecord(value["run"]) ? readStanding(value["run"]) : undefined;
  const { calls, left } = flatten(value["calls"], standing?.state === "halted");
  const running = isRecord(value["script"])
    ? value["script"]["state"] === "running"
    : calls.some(({ status }) => status === "running");
  const run: Run = {
    name,
    ...text("startedAt", value["startedAt"]),
    durationMs: amount(value["durationMs"]) ?? 0,
    omitted: (amount(value["omitted"]) ?? 0) + left,
    live: running,
    ...(standing === undefined ? {} : { standing }),
    ...(script === undefined ? {} : { script }),
    calls,
  };
  return { ok: true, run };
}

interface Waiting {
  readonly list: readonly unknown[];
  readonly parent?: string;
  at: number;
}

function flatten(roots: readonly unknown[], halted: boolean): { calls: RunCall[]; left: number } {
  const calls: RunCall[] = [];
  const seen = new Map<string, number>();
  let left = 0;
  const stack: Waiting[] = [{ list: roots, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    if (top.at >= top.list.length) {
      stack.pop();
      continue;
    }
    const value = top.list[top.at++];
    if (!isRecord(value)) continue;
    if (calls.length >= MAX_CALLS) {
      left++;
      continue;
    }
    const call = readCall(value, top, seen, halted);
    calls.push(call);
    if (Array.isArray(value["children"]) && value["children"].length > 0)
      stack.push({ list: value["children"] as unknown[], parent: call.key, at: 0 });
  }
  return { calls, left };
}

function readCall(
  value: Record<string, unknown>,
  { parent }: Waiting,
  seen: Map<string, number>,
  halted: boolean,
): RunCall {
  const id = textOf(value["id"]);
  const times = seen.get(id) ?? 0;
  seen.set(id, times + 1);
  const decision = readDecision(value["decision"]);
  const waits = records(value["waits"]).flatMap(readWait);
  const status = readStatus(value["status"]);
  const last = waits.at(-1);
  return {
    key: times === 0 ? id : `${id}\u0000${times}`,
    ...(parent === undefined ? {} : { parent }),
    id,
    name: textOf(value["name"]),
    startMs: amount(value["startMs"]) ?? 0,
    ...number("durationMs", value["durationMs"]),
    ...number("runMs", value["runMs"]),
    ...(value["untimed"] === true ? { untimed: true } : {}),
    // Whoever does not know waits and halts has to be told something.
    status:
      status !== "running"
        ? status
        : last !== undefined && last.decision === undefined
          ? "waiting"
          : halted
            ? "halted"
            : status,
    ...(decision === undefined ? {} : { decision }),
    ...number("argumentBytes", value["argumentBytes"]),
    ...text("arguments", value["arguments"]),
    ...number("resultBytes", value["resultBytes"]),
    ...text("result", value["result"]),
    ...text("error", value["error"]),
    ...number("line", value["line"]),
    ...(isRecord(value["script"]) ? { script: readScript(value["script"]) } : {}),
    updates: amount(value["updates"]) ?? 0,
    ...(waits.length === 0 ? {} : { waits }),
  };
}

function readStatus(value: unknown): CallStatus {
  return callStatuses.find((status) => status === value) ?? "error";
}

function readDecision(value: unknown): Decision | undefined {
  if (!isRecord(value)) return undefined;
  const { effect, rule, layer } = value;
  if (effect !== "allow" && effect !== "ask" && effect !== "deny") return undefined;
  return { effect, rule: textOf(rule), layer: textOf(layer) };
}

function readWait(value: Record<string, unknown>): CallWait[] {
  const fromMs = amount(value["fromMs"]);
  if (fromMs === undefined) return [];
  const { decision, lines } = value;
  return [
    {
      fromMs,
      ...number("toMs", value["toMs"]),
      ...(decision === "approved" || decision === "declined" ? { decision } : {}),
      ...text("by", value["by"]),
      ...text("comment", value["comment"]),
      key: textOf(value["key"]),
      ...text("reason", value["reason"]),
      ...text("rule", value["rule"]),
      ...text("layer", value["layer"]),
      lines: strings(lines),
    },
  ];
}

function readStanding(value: Record<string, unknown>): RunStanding {
  return {
    id: textOf(value["id"]),
    state: fleetStates.find((state) => state === value["state"]) ?? "ended",
    ...text("message", value["message"]),
    ...text("worker", value["worker"]),
    ...text("deployment", value["deployment"]),
    ...text("wakeAt", value["wakeAt"]),
    ...text("deadlineAt", value["deadlineAt"]),
    ...text("cancel", value["cancel"]),
    approveWith: strings(value["approveWith"]),
    resumeWith: strings(value["resumeWith"]),
  };
}

function readScript(value: Record<string, unknown>): RunScript {
  return {
    ...text("name", value["name"]),
    text: textOf(value["text"]),
    output: records(value["output"]).flatMap(readOutput),
    outputOmitted: amount(value["outputOmitted"]) ?? 0,
    limits: records(value["limits"]).flatMap(readLimit),
    ...(isRecord(value["outcome"]) ? { outcome: readOutcome(value["outcome"]) } : {}),
  };
}

function readOutput({ kind, text: said }: Record<string, unknown>): OutputPiece[] {
  if (typeof said !== "string") return [];
  return [{ kind: kind === "console" || kind === "image" ? kind : "text", text: said }];
}

function readLimit({ name, unit, max, used }: Record<string, unknown>): LimitUse[] {
  if (typeof name !== "string" || typeof unit !== "string") return [];
  return [{ name, unit, ...number("max", max), ...number("used", used) }];
}

function readOutcome(value: Record<string, unknown>): NonNullable<RunScript["outcome"]> {
  const told = value["error"];
  return {
    ok: value["ok"] === true,
    ...text("value", value["value"]),
    ...(isRecord(told)
      ? {
          error: {
            kind: textOf(told["kind"]),
            name: textOf(told["name"]),
            message: textOf(told["message"]),
            ...number("line", told["line"]),
          },
        }
      : {}),
  };
}

function strings(value: unknown): readonly string[] {
  const isText = (item: unknown): item is string => typeof item === "string";
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).filter(isText) : [];
}

function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).filter(isRecord) : [];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function amount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function number<K extends string>(key: K, value: unknown): { readonly [P in K]?: number } {
  const read = amount(value);
  return (read === undefined ? {} : { [key]: read }) as { readonly [P in K]?: number };
}

function text<K extends string>(key: K, value: unknown): { readonly [P in K]?: string } {
  return (typeof value === "string" ? { [key]: value } : {}) as { readonly [P in K]?: string };
}
