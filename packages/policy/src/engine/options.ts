import type { PolicyFs } from "../paths/fs.ts";
import type { PolicyLayer, Trust } from "../rules/types.ts";

/** What an engine needs to know. Everything that differs between two machines is handed in. */
export interface EngineOptions {
  /** Loaded policies, in any order; several of one layer are united. The built-in preset is added by the engine. */
  readonly layers: readonly PolicyLayer[];
  /** How paths are looked up. Absent: no path exists, so links are not seen. */
  readonly fs?: PolicyFs;
  /** The home folder, absolute. */
  readonly home: string;
  /** The project's folder: what patterns are relative to, and what "outside" means. Absent: each call's own `cwd`. */
  readonly cwd?: string;
  /** Default `linux`. */
  readonly platform?: "linux" | "darwin" | "win32";
  /** The environment that commands start in. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Looks up where a plain `git push` goes. Absent: not known, which asks where it matters. */
  readonly refs?: RefResolver;
  /** Trust that the host adds to what the policies say. */
  readonly trust?: Trust;
  /** More files that no call may write: the policies that are loaded, grants, audit. Absolute, or `~/`. */
  readonly protectedPaths?: readonly string[];
  /** Process ids of the host, which no agent may signal without a person. */
  readonly hostPids?: readonly number[];
}

/** Looks up what git would do; sync, and `undefined` where it does not know. */
export interface RefResolver {
  /** The refs that `git push` without a refspec would change, from a folder. */
  pushTargets(cwd: string, remote: string | undefined): readonly string[] | undefined;
}
