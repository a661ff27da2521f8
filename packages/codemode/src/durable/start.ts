import type { CallableTool, JsonValue } from "@nestbox/tool";
import { canonicalJson } from "../shared/canonical-json.ts";
import { isRecord } from "../shared/guards.ts";
import { resolveLimits } from "../runner/limits.ts";
import type { ScriptLimits } from "../types.ts";
import { sha256 } from "./hash.ts";

/** The clock at the start, the seed, the zone and the locale of a run: with them it is the same run everywhere. */
export interface StartEnvironment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Unsigned 32-bit integer. */
  readonly seed: number;
  readonly timeZone: string;
  readonly locale: string;
}

/** All that a run begins with; it stands in the journal and holds from then on. */
export interface RunStart {
  readonly format: 1;
  readonly code: string;
  readonly store: Readonly<Record<string, string>>;
  readonly limits: ScriptLimits;
  readonly environment: StartEnvironment;
  /** Hash of every tool as scripts see it, by name. */
  readonly tools: Readonly<Record<string, string>>;
  /** Names of the host's functions. */
  readonly globals: readonly string[];
  /** Milliseconds from the start, whether the run is parked or not; then it ends. */
  readonly deadlineMs?: number;
}

export async function hashTools(tools: readonly CallableTool[]): Promise<Readonly<Record<string, string>>> {
  const rows = await Promise.all(
    tools.map(async (tool) => {
      const { name, description, parameters, outputSchema, annotations, namespace } = tool;
      const text = canonicalJson({ name, description, parameters, outputSchema, annotations, namespace });
      return [name, (await sha256(text)).slice(0, 16)] as const;
    }),
  );
  return Object.fromEntries(rows);
}

/** `undefined` for what is no start of a run of this format. */
export function readStart(value: unknown): RunStart | undefined {
  if (!isRecord(value) || value["format"] !== 1) return undefined;
  const { code, store, limits, environment, tools, globals, deadlineMs } = value;
  if (typeof code !== "string" || !isRecord(store) || !isRecord(limits) || !isRecord(tools)) return undefined;
  if (!isRecord(environment) || !Array.isArray(globals)) return undefined;
  const { now, seed, timeZone, locale } = environment;
  if (typeof now !== "number" || typeof seed !== "number") return undefined;
  if (typeof timeZone !== "string" || typeof locale !== "string") return undefined;
  if (!allStrings(store) || !allStrings(tools) || !globals.every((name) => typeof name === "string"))
    return undefined;
  if (deadlineMs !== undefined && typeof deadlineMs !== "number") return undefined;
  if (!areLimits(limits)) return undefined;
  return {
    format: 1,
    code,
    store,
    limits,
    environment: { now, seed, timeZone, locale },
    tools,
    globals,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

export const writeStart = (start: RunStart): JsonValue => JSON.parse(JSON.stringify(start)) as JsonValue;

function allStrings(record: Readonly<Record<string, unknown>>): record is Readonly<Record<string, string>> {
  return Object.values(record).every((value) => typeof value === "string");
}

/** Those that a run began with have been resolved: nothing is filled in here. */
function areLimits(limits: object): limits is ScriptLimits {
  try {
    resolveLimits(limits);
    return true;
  } catch {
    return false;
  }
}

/** What a sandbox says of its engine, as flat members. */
export function readEngine(text: string): Readonly<Record<string, string>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (!isRecord(parsed)) return { engine: text };
  return Object.fromEntries(Object.entries(parsed).map(([part, value]) => [part, String(value)]));
}

/** The first line in which two texts differ, from 1, with both lines. */
export function firstDifferentLine(
  a: string,
  b: string,
): { readonly line: number; readonly a: string; readonly b: string } {
  const left = a.split("\n");
  const right = b.split("\n");
  const index = left.findIndex((line, at) => line !== right[at]);
  const at = index < 0 ? left.length : index;
  const show = (line: string | undefined): string =>
    line === undefined ? "nothing" : JSON.stringify(line.slice(0, 200));
  return { line: at + 1, a: show(left[at]), b: show(right[at]) };
}
