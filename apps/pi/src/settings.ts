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
  /** The merged settings say that the policy is off. Only {@link readPolicySwitch} decides that. */
  readonly wantsPolicyOff: boolean;
  /** What cannot be read as a switch, in words; such a part stays on. */
  readonly problems: readonly string[];
}

/** Reads Pi's merged settings: the person's with the trusted project's on top. Only `false` switches a part off. */
export function readParts(settings: unknown): PartSwitches {
  const own = ownValue(settings, "nestbox");
  if (own !== undefined && !isRecord(own)) {
    return { off: new Set(), wantsPolicyOff: false, problems: ["The setting nestbox is not an object."] };
  }
  const off = new Set<Part>();
  const problems: string[] = [];
  for (const part of PARTS) {
    const value = ownValue(own, part);
    if (value === false) off.add(part);
    else if (value !== undefined && value !== true)
      problems.push(`The setting nestbox.${part} is neither true nor false; ${part} stays on.`);
  }
  return { off, wantsPolicyOff: ownValue(own, "policy") === false, problems };
}

export type PolicySwitch =
  | { readonly on: true }
  /** `by`: the variable or the file that says so. */
  | { readonly on: false; readonly by: string };

export interface PolicySwitchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The person's own settings file. Pi's merged settings do not count: a project could set those. */
  readonly settingsPath: string;
}

/**
 * Whether the policy is in force: `NESTBOX_POLICY` (`off` or `on`) has the last word, else `nestbox.policy` of the
 * person's own settings file. What cannot be read leaves it on.
 */
export function readPolicySwitch({ env, settingsPath }: PolicySwitchOptions): PolicySwitch {
  const word = env[POLICY_VARIABLE]?.trim().toLowerCase();
  if (word === "off") return { on: false, by: `the variable ${POLICY_VARIABLE}` };
  if (word === "on") return { on: true };
  const own = ownValue(readJson(settingsPath), "nestbox");
  return ownValue(own, "policy") === false ? { on: false, by: settingsPath } : { on: true };
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
