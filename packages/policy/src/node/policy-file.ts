import { readFileSync, statSync } from "node:fs";

import type { LayerName } from "../decision.ts";
import { sha256Hex } from "../gate/fingerprint.ts";
import { MAX_POLICY_CHARS, parsePolicy } from "../rules/parse.ts";
import type { Policy, PolicyLayer, PolicyProblem } from "../rules/types.ts";

/** One policy file and the layer that it speaks for. */
export interface PolicyFile {
  readonly path: string;
  readonly layer: LayerName;
  /** Its absence at the start is a broken layer, not an empty one. Default false, except where Pi's extension says. */
  readonly required?: boolean;
}

/**
 * - `loaded`: what the file says counts.
 * - `missing`: there is no such file, and there need not be; it says nothing.
 * - `broken`: it cannot be read and never could, or is required and not there; the strict built-in rules stand in for it.
 * - `last-good`: it broke or vanished later; what it said before counts.
 * - `untrusted`: a project's file, in a project that is not trusted; it is not read.
 */
export type PolicyFileState = "loaded" | "missing" | "broken" | "last-good" | "untrusted";

export interface PolicyFileStatus {
  readonly path: string;
  readonly layer: LayerName;
  readonly state: PolicyFileState;
  readonly problems: readonly PolicyProblem[];
  readonly rules: number;
  /** SHA-256 of what counts now. */
  readonly sha256?: string;
}

/** Reads one file again and again, keeping the last policy that was good. */
export interface PolicyFileReader {
  readonly file: PolicyFile;
  readonly status: PolicyFileStatus;
  readonly layer: PolicyLayer | undefined;
  /** Looks whether the file changed; true when what it says, or its state, is another. */
  refresh(): boolean;
}

export function createPolicyFileReader(
  file: PolicyFile,
  platform: "linux" | "darwin" | "win32",
): PolicyFileReader {
  let stamp: string | undefined;
  let good: { readonly policy: Policy; readonly sha256: string } | undefined;
  let state: PolicyFileState = "missing";
  let problems: readonly PolicyProblem[] = [];
  let started = false;

  const fail = (found: readonly PolicyProblem[]): void => {
    problems = found;
    state = good === undefined ? "broken" : "last-good";
  };

  const read = (): void => {
    const source = readSource(file.path);
    if (source.kind === "missing") {
      if (good === undefined && file.required !== true) {
        state = "missing";
        problems = [];
        return;
      }
      fail([problem(file, started ? "the file has vanished" : "there is no such file")]);
      return;
    }
    if (source.kind === "failed") {
      fail([problem(file, source.message)]);
      return;
    }
    const parsed = parsePolicy(source.text, { file: file.path, layer: file.layer, platform });
    if (!parsed.ok) {
      fail(parsed.problems);
      return;
    }
    good = { policy: parsed.policy, sha256: sha256Hex(source.text) };
    state = "loaded";
    problems = [];
  };

  return {
    file,
    get status() {
      return {
        path: file.path,
        layer: file.layer,
        state,
        problems,
        rules: good?.policy.rules.length ?? 0,
        ...(good === undefined ? {} : { sha256: good.sha256 }),
      };
    },
    get layer(): PolicyLayer | undefined {
      if (good !== undefined) return { ok: true, name: file.layer, file: file.path, policy: good.policy };
      if (state === "missing") return undefined;
      return { ok: false, name: file.layer, file: file.path, problems };
    },
    refresh() {
      const now = stampOf(file.path);
      if (started && now === stamp) return false;
      const before = `${state} ${good?.sha256 ?? ""} ${JSON.stringify(problems)}`;
      stamp = now;
      read();
      const first = !started;
      started = true;
      return first || before !== `${state} ${good?.sha256 ?? ""} ${JSON.stringify(problems)}`;
    },
  };
}

/** What changes whenever the file does; reading it costs a few microseconds. */
function stampOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  } catch (error) {
    return `none:${codeOf(error)}`;
  }
}

type Source =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly message: string };

function readSource(path: string): Source {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { kind: "failed", message: "it is not a regular file" };
    if (stats.size > MAX_POLICY_CHARS * 4) return { kind: "failed", message: "the file is too large" };
    return { kind: "text", text: readFileSync(path, "utf8") };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    return { kind: "failed", message: `it cannot be read (${code})` };
  }
}

function problem(file: PolicyFile, message: string): PolicyProblem {
  return { file: file.path, line: 1, column: 1, message };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown";
}
