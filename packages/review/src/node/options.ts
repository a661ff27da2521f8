import type { DangerEntry, Redactor } from "@nestbox/tool";
import type { OutputFolder } from "@nestbox/tool/node";

export interface ReviewToolsOptions {
  /** What the policy holds dangerous: its own tables, or a function that reads them at each call. */
  readonly dangers: readonly DangerEntry[] | (() => readonly DangerEntry[]);
  /** Working folder where a host does not say one. Default: `process.cwd()` at the time of the call. */
  readonly cwd?: string;
  /** More names of the host's environment that project commands inherit; a trailing `*` is a prefix. */
  readonly envAllow?: readonly string[];
  /** Set in the environment of project commands. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Takes secrets and private paths out of everything that leaves the tools. Default: the common kinds and the home. */
  readonly redact?: Redactor;
  /** Where complete outputs go. Default: a private folder in the system's temp folder, swept after a day. */
  readonly outputFolder?: OutputFolder;
}

/** What every tool of this package works with. */
export interface ReviewEnvironment {
  readonly cwd: string | undefined;
  readonly envAllow: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly redact: Redactor;
  readonly outputFolder: OutputFolder | undefined;
  readonly dangers: () => readonly DangerEntry[];
}
