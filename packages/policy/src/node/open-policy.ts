import type { PolicyEngine } from "../decision.ts";
import { createEngine } from "../engine/engine.ts";
import type { EngineOptions } from "../engine/options.ts";
import type { GrantFacts } from "../gate/grant.ts";
import type { PolicyLayer } from "../rules/types.ts";
import { nodeFacts } from "./facts.ts";
import { nodeGitRefs } from "./git-refs.ts";
import { nodePolicyFs } from "./file-system.ts";
import {
  createPolicyFileReader,
  type PolicyFile,
  type PolicyFileReader,
  type PolicyFileStatus,
} from "./policy-file.ts";

export interface OpenPolicyOptions extends Partial<Omit<EngineOptions, "layers" | "home">> {
  readonly files: readonly PolicyFile[];
  /** The home folder, absolute. */
  readonly home: string;
  /** Whether the project's own file counts at all; asked at every decision. Default: it does. */
  readonly projectTrusted?: () => boolean;
  /** Layers that are not files. */
  readonly layers?: readonly PolicyLayer[];
  /** Told after a file changed, broke, vanished or came back. */
  readonly onChange?: (status: PolicyFileStatus) => void;
}

/** A user's file that says this and nothing else. */
const loosening: PolicyLayer = {
  ok: true,
  name: "user",
  policy: {
    version: 1,
    fallback: {},
    preset: {},
    projectMayLoosen: true,
    tools: {},
    trust: {},
    rules: [],
  },
};

/** A policy on disk, kept up to date. */
export interface OpenPolicy {
  /** Always judges by the files as they are now; a broken edit leaves what was good before. */
  readonly engine: PolicyEngine;
  /** As `engine` would judge if projects might loosen. Decides nothing: it tells that an allow of a project would fit. */
  readonly loosened: PolicyEngine;
  readonly facts: GrantFacts;
  /** What counts now, as layers. */
  layers(): readonly PolicyLayer[];
  /** How each file stands. Looks at the files first. */
  status(): readonly PolicyFileStatus[];
}

/**
 * Loads policy files and makes the engine over them. No watcher runs: every decision looks at the files' stamps first,
 * so that a changed policy counts from the next call on and nothing has to be closed.
 */
export function openPolicy(options: OpenPolicyOptions): OpenPolicy {
  const { files, projectTrusted, layers: given, onChange, ...rest } = options;
  const platform = rest.platform ?? platformOf();
  const engineOptions: Omit<EngineOptions, "layers"> = {
    fs: nodePolicyFs(),
    platform,
    env: process.env,
    refs: nodeGitRefs({ home: options.home }),
    hostPids: [process.pid, process.ppid],
    ...rest,
    protectedPaths: [...files.map((file) => file.path), ...(options.protectedPaths ?? [])],
  };
  const readers = files.map((file) => createPolicyFileReader(file, platform));
  let trusted: boolean | undefined;
  let engine: PolicyEngine | undefined;

  const counts = (reader: PolicyFileReader): boolean => reader.file.layer !== "project" || trusted === true;
  const layers = (): readonly PolicyLayer[] => [
    ...(given ?? []),
    ...readers.filter(counts).flatMap((reader) => (reader.layer === undefined ? [] : [reader.layer])),
  ];

  const refresh = (): PolicyEngine => {
    const nowTrusted = isTrusted(projectTrusted);
    let changed = nowTrusted !== trusted;
    trusted = nowTrusted;
    for (const reader of readers) {
      if (!counts(reader) || !reader.refresh()) continue;
      changed = true;
      tell(onChange, reader.status);
    }
    if (changed || engine === undefined) engine = createEngine({ ...engineOptions, layers: layers() });
    return engine;
  };

  refresh();
  return {
    engine: { evaluate: (request, history) => refresh().evaluate(request, history) },
    loosened: {
      evaluate(request, history) {
        refresh();
        return createEngine({ ...engineOptions, layers: [...layers(), loosening] }).evaluate(
          request,
          history,
        );
      },
    },
    facts: nodeFacts(),
    layers() {
      refresh();
      return layers();
    },
    status() {
      refresh();
      return readers.map((reader) =>
        counts(reader) ? reader.status : { ...reader.status, state: "untrusted" },
      );
    },
  };
}

function isTrusted(ask: (() => boolean) | undefined): boolean {
  try {
    return ask === undefined || ask();
  } catch {
    return false;
  }
}

function platformOf(): "linux" | "darwin" | "win32" {
  return process.platform === "darwin" || process.platform === "win32" ? process.platform : "linux";
}

function tell(listener: OpenPolicyOptions["onChange"], status: PolicyFileStatus): void {
  try {
    listener?.(status);
  } catch {
    // What a listener does with the news must not keep a policy from counting.
  }
}
