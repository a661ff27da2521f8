import { readFileSync, statSync } from "node:fs";

/** The parts that Pi's settings can switch off under the key `nestbox`, for a person and for a project. */
export type Part = "codemode" | "review" | "traces";

const PARTS: readonly Part[] = ["codemode", "review", "traces"];
/** A settings file larger than this is not read. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
/** Variable that switches the policy off or on, whatever a file says. */
export const POLICY_VARIABLE = "NESTBOX_POLICY";

export interface PartSwitches {
  readonly off: ReadonlySet<Part>;
  /** What the merged settings want of the policy, when that is less. Only {@link readPolicySwitch} decides it. */
  readonly wantsPolicy: "off" | "dry-run" | undefined;
  /** What cannot be read as a switch, in words; such a part stays on. */
  readonly problems: readonly string[];
}

/** Reads Pi's merged settings: the person's with the trusted project's on top. Only `false` switches a part off. */
export function readParts(settings: unknown): PartSwitches {
  const own = ownValue(settings, "nestbox");
  if (own !== undefined && !isRecord(own)) {
    return { off: new Set(), wantsPolicy: undefined, problems: ["The setting nestbox is not an object."] };
  }
  const off = new Set<Part>();
  const problems: string[] = [];
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
  const word = env[POLICY_VARIABLE]?.trim().toLowerCase();
  if (word === "on") return { on: true };
  const by = `the variable ${POLICY_VARIABLE}`;
  if (word === "off") return { on: false, by };
  if (word === "dry-run") return { on: "dry-run", by };
  const wish = readPolicy(ownValue(ownValue(readJson(settingsPath), "nestbox"), "policy"));
  if (wish === "off") return { on: false, by: settingsPath };
  return wish === "dry-run" ? { on: "dry-run", by: settingsPath } : { on: true };
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ownValue(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
