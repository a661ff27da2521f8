import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";

import {
  type Approver,
  createGate,
  type GateOptions as GateSettings,
  type LayerName,
  type PolicyGate,
  type PolicyProblem,
} from "@nestbox/policy";
import { openPolicy, type OpenPolicy } from "@nestbox/policy/node";

import type { DryRun } from "./dry-run.ts";
import { UsageError } from "../usage-error.ts";
import { messageOf } from "@nestbox/tool";

/** Files given on the command line, by the layer that they are. */
export interface PolicyFiles {
  readonly policy?: readonly string[];
  readonly managed?: readonly string[];
  readonly project?: readonly string[];
  /** The config file that named some of these, and which. */
  readonly configured?: { readonly file: string; readonly paths: readonly string[] };
}

/** The given files over the built-in rules and the annotation default. Files are relative to `start`. */
export function openCommandPolicy(files: PolicyFiles, start: string, cwd: string): OpenPolicy {
  const layer = (name: LayerName, paths: readonly string[] = []) =>
    paths.map((path) => {
      if (!existsSync(resolve(start, path))) throw new UsageError(missing(path, files.configured));
      return { path: resolve(start, path), layer: name };
    });
  return openPolicy({
    files: [
      ...layer("managed", files.managed),
      ...layer("user", files.policy),
      ...layer("project", files.project),
    ],
    home: homedir(),
    cwd,
  });
}

function missing(path: string, configured: PolicyFiles["configured"]): string {
  return configured?.paths.includes(path) === true
    ? `Policy ${path} (named in ${configured.file}): there is no such file. Make it, or take it out of there.`
    : `Policy ${path}: there is no such file.`;
}

/** What is wrong with the files, a line each. */
export function policyProblems(policy: OpenPolicy): readonly string[] {
  return policy.status().flatMap((status) => status.problems.map(problemLine));
}

export function problemLine({ file, line, column, message }: PolicyProblem): string {
  return `${file}:${line}:${column}: ${message}`;
}

export interface PolicyPlace {
  readonly files: PolicyFiles;
  readonly start: string;
  readonly cwd: string;
}

export interface GateOptions extends PolicyPlace {
  /** Who answers an ask. Absent: an ask is a deny. */
  readonly approver?: Approver;
  /** A person chose that the run is to stop. Told right after the call has its answer. */
  readonly onStop?: () => void;
  readonly onError: (message: string) => void;
  /** Told of each decision. */
  readonly onDecision?: NonNullable<GateSettings["onDecision"]>;
  /** Nothing is blocked or asked; what would have been is told to it. */
  readonly dryRun?: DryRun;
}

/** A policy with a mistake stops a run before it begins: nobody meant the half of it. Throws `UsageError`. */
export function openGoodPolicy({ files, start, cwd }: PolicyPlace): OpenPolicy {
  const policy = openCommandPolicy(files, start, cwd);
  const problems = policyProblems(policy);
  if (problems.length > 0) {
    throw new UsageError(
      ["The policy is refused as a whole, and nothing was run:", ...problems.map((line) => `  ${line}`)].join(
        "\n",
      ),
    );
  }
  return policy;
}

/** The gate of one run. */
export function openGate(options: GateOptions): { readonly gate: PolicyGate; readonly policy: OpenPolicy } {
  const policy = openGoodPolicy(options);
  const gate = createGate({
    engine: policy.engine,
    facts: policy.facts,
    ...(options.approver === undefined ? {} : { approver: options.approver }),
    ...(options.dryRun === undefined ? {} : { mode: "dry-run" as const }),
    onStop: () => options.onStop?.(),
    onDecision: (record) => {
      options.dryRun?.onDecision(record);
      options.onDecision?.(record);
    },
    onError: (error, where) => options.onError(`${where}: ${messageOf(error)}`),
  });
  return { gate, policy };
}
