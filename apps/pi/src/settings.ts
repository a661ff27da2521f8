import { readFileSync, statSync } from "node:fs";

import { nearestName, shorten } from "@nestbox/tool";

import { isRecord } from "./is-record.ts";

/** The parts that Pi's settings can switch off under the key `nestbox`, for a person and for a project. */
export type Part = "codemode" | "review" | "traces";

const PARTS: readonly Part[] = ["codemode", "review", "traces"];
/** Every key that stands under `nestbox`. */
const KEYS: readonly string[] = ["codemode", "policy", "review", "traces"];
/** What `codemode.check` can say: a key of ours among Pi's own of that name. */
const CHECKS: readonly unknown[] = ["off", "note", "refuse"];
/** Unknown keys that are told one by one; the rest is counted. */
const MAX_TOLD_KEYS = 8;
/** A settings file larger than this is not read. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
/** Variable that switches the policy off or on, whatever a file says. */
export const POLICY_VARIABLE = "NESTBOX_POLICY";

const WORDS: readonly string[] = ["on", "off", "dry-run"];

export interface PartSwitches {
  readonly off: ReadonlySet<Part>;
  /** What the merged settings want of the policy, when that is less. Only {@link readPolicySwitch} decides it. */
  readonly wantsPolicy: "off" | "dry-run" | undefined;
  /** What cannot be read as a switch, or is none, in words; such a part stays on. */
  readonly problems: readonly string[];
}

/** Reads Pi's merged settings: the person's with the trusted project's on top. Only `false` switches a part off. */
export function readParts(settings: unknown): PartSwitches {
  const own = ownValue(settings, "nestbox");
  if (own !== undefined && !isRecord(own)) {
    return { off: new Set(), wantsPolicy: undefined, problems: ["The setting nestbox is not an object."] };
  }
  const off = new Set<Part>();
  const problems = [...misspelt(settings), ...unknownKeys(own), ...checkProblems(settings)];
  for (const part of PARTS) {
    const value = ownValue(own, part);
    if (value === false) off.add(part);
    else if (value !== undefined && value !== true)
      problems.push(`The setting nestbox.${part} is neither true nor false; ${part} stays on.`);
  }
  const policy = ownValue(own, "policy");
  const wantsPolicy = readPolicy(policy);
  if (wantsPolicy === undefined && policy !== undefined)
    problems.push(
      'The setting nestbox.policy is neither true, false nor { "dryRun": true }; the policy stays on.',
    );
  return { off, wantsPolicy: wantsPolicy === "on" ? undefined : wantsPolicy, problems };
}

/** Other spellings of the key itself, which switch nothing. A name that is only near may be somebody else's. */
function misspelt(settings: unknown): readonly string[] {
  const written = isRecord(settings) ? Object.keys(settings) : [];
  return written
    .filter((key) => key !== "nestbox" && key.replace(/[^a-z]/gi, "").toLowerCase() === "nestbox")
    .slice(0, MAX_TOLD_KEYS)
    .map((key) => `The setting ${shown(key)} switches nothing; nestbox was probably meant.`);
}

function unknownKeys(own: Record<string, unknown> | undefined): readonly string[] {
  const unknown = Object.keys(own ?? {}).filter((key) => !KEYS.includes(key));
  const told = unknown.slice(0, MAX_TOLD_KEYS).map((key) => {
    const meant = nearestName(key, KEYS);
    const way = meant === undefined ? `there are ${KEYS.join(", ")}` : `${meant} was probably meant`;
    return `The setting nestbox.${shown(key)} switches nothing; ${way}.`;
  });
  const rest = unknown.length - told.length;
  return rest === 0 ? told : [...told, `The setting nestbox has ${rest} more keys that switch nothing.`];
}

/** Pi has keys of its own there, and may get more: only what is near to ours is ours. */
function checkProblems(settings: unknown): readonly string[] {
  const codemode = ownValue(settings, "codemode");
  const keys = isRecord(codemode) ? Object.keys(codemode) : [];
  const problems = keys
    .filter((key) => key !== "check" && nearestName(key, ["check"]) !== undefined)
    .map((key) => `The setting codemode.${shown(key)} is unknown; check was probably meant.`);
  const check = ownValue(codemode, "check");
  if (check !== undefined && !CHECKS.includes(check))
    problems.push(
      'The setting codemode.check is neither "off", "note" nor "refuse"; scripts are not checked.',
    );
  return problems;
}

/** A key as it may be shown in a message. */
function shown(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : JSON.stringify(shorten(key, 40));
}

/** `{ "dryRun": false }` is an `on` like `true`; what else there is cannot be read. */
function readPolicy(value: unknown): "on" | "off" | "dry-run" | undefined {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (!isRecord(value) || Object.keys(value).some((key) => key !== "dryRun")) return undefined;
  const dryRun = ownValue(value, "dryRun");
  return typeof dryRun === "boolean" ? (dryRun ? "dry-run" : "on") : undefined;
}

export type PolicySwitch =
  | { readonly on: true }
  /** It decides, records what it would have denied, and blocks nothing but what is written to its own files. */
  | { readonly on: "dry-run"; readonly by: string }
  /** `by`: the variable or the file that says so. */
  | { readonly on: false; readonly by: string };

export interface PolicySwitchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's own settings file. Pi's merged settings do not count: a project could set those. */
  readonly settingsPath: string;
}

/**
 * Whether the policy is in force: `NESTBOX_POLICY` (`on`, `off` or `dry-run`) has the last word, else `nestbox.policy`
 * of the person's own settings file. What cannot be read leaves it on.
 */
export function readPolicySwitch({ env, settingsPath }: PolicySwitchOptions): PolicySwitch {
  const word = policyWord(env);
  if (word === "on") return { on: true };
  const by = `the variable ${POLICY_VARIABLE}`;
  if (word === "off") return { on: false, by };
  if (word === "dry-run") return { on: "dry-run", by };
  const wish = readPolicy(ownValue(ownValue(readJson(settingsPath), "nestbox"), "policy"));
  if (wish === "off") return { on: false, by: settingsPath };
  return wish === "dry-run" ? { on: "dry-run", by: settingsPath } : { on: true };
}

/** A word in `NESTBOX_POLICY` that is none of the three and therefore counts for nothing, as a sentence about it. */
export function policyWordProblem(env: PolicySwitchOptions["env"]): string | undefined {
  const word = policyWord(env);
  if (word === undefined || word === "" || WORDS.includes(word)) return undefined;
  // Which of them was meant is not guessed: `of` is as near to on as to off.
  return `The variable ${POLICY_VARIABLE} says ${shown(word)}, which counts for nothing; it can say ${WORDS.join(", ")}.`;
}

function policyWord(env: PolicySwitchOptions["env"]): string | undefined {
  return env[POLICY_VARIABLE]?.trim().toLowerCase();
}

function readJson(path: string): unknown {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_SETTINGS_BYTES) return undefined;
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function ownValue(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
