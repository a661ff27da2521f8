/** One thing a policy holds dangerous, as data that a tool can list (contract A3, `dangerous_commands`). */
export interface DangerEntry {
  /** Id of the policy rule, for example `git.force-push`. */
  readonly id: string;
  readonly effect: "ask" | "deny";
  /** One line: what it is. */
  readonly title: string;
  /** Why it is dangerous, and what to do instead. */
  readonly reason: string;
  /** Command lines or resources that the rule matches. */
  readonly examples: readonly string[];
  readonly layer: string;
}
