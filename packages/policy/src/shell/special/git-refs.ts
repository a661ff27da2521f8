import { has } from "./has.ts";
import type { CommandCall } from "../effects.ts";
import type { ShellWord } from "../shell-word.ts";
import { shortRef } from "./refspec.ts";

/** Commands of git that set refs of this repository. */

export function refName(word: ShellWord | undefined): string | undefined {
  return word?.value === undefined ? undefined : shortRef(word.value);
}

/** A ref of this repository is made, moved or deleted. */
export function changeRef(
  call: CommandCall,
  word: ShellWord | undefined,
  more: { readonly action?: "write" | "delete"; readonly force?: boolean; readonly possible?: true } = {},
): void {
  call.effects.readOnly = false;
  call.effects.resources.push({
    action: "write",
    kind: "ref",
    value: refName(word),
    force: false,
    local: true,
    origin: `git ${call.parsed.subcommand.join(" ")} ${word?.raw ?? ""}`.trim(),
    ...more,
  });
}

/** Commands below the usual ones, which name the ref that they set. */
function readRefPlumbing(call: CommandCall): void {
  const { parsed, effects } = call;
  const { operands } = parsed;
  effects.readOnly = false;
  switch (parsed.subcommand[0]) {
    case "update-ref":
      // It asks nobody whether commits get lost.
      if (has(call, "--stdin")) changeRef(call, undefined, { force: true, possible: true });
      else if (has(call, "-d")) changeRef(call, operands[0], { action: "delete", force: true });
      else changeRef(call, operands[0], { force: true });
      return;
    case "symbolic-ref":
      if (has(call, "--delete")) changeRef(call, operands[0], { action: "delete", force: true });
      else if (operands.length > 1) changeRef(call, operands[0], { force: true });
      else effects.readOnly = !parsed.unknown;
      return;
    case "fast-import":
      changeRef(call, undefined, { force: has(call, "--force"), possible: true });
      return;
  }
}

function readWorktree(call: CommandCall): void {
  for (const flag of call.parsed.flags) {
    if (flag.name === "-b") changeRef(call, flag.value);
    if (flag.name === "-B") changeRef(call, flag.value, { force: true });
  }
}

/** What is pushed to another system, or by a way that names no ref. */
function readForeignPush(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  effects.resources.push({
    action: "write",
    kind: "ref",
    value: undefined,
    force: has(call, "--force"),
    possible: true,
    origin: `git ${parsed.subcommand.join(" ")}`,
  });
}

/** Without a flag that lists, an operand makes a branch or a tag. */
function readRefs(call: CommandCall): void {
  const { parsed, effects } = call;
  const name = parsed.subcommand[0] ?? "";
  const removes = has(call, "--delete", "-D");
  const force = has(call, "--force", "-D", "-M", "-C");
  const lists = has(
    call,
    "--list",
    "--contains",
    "--no-contains",
    "--merged",
    "--no-merged",
    "--points-at",
    "--verify",
    "-n",
  );
  if (lists && !removes) return;
  if (parsed.operands.length > 0 || removes) effects.readOnly = false;
  const moves = has(call, "--move", "-M", "--copy", "-C");
  const touched = removes ? parsed.operands : moves ? parsed.operands.slice(-1) : parsed.operands.slice(0, 1);
  for (const word of touched) {
    effects.resources.push({
      action: removes ? "delete" : "write",
      kind: "ref",
      value: refName(word),
      force,
      local: true,
      origin: `git ${name} ${word.raw}`,
    });
  }
}

export const gitRefSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["git-branch", readRefs],
  ["git-tag", readRefs],
  ["git-ref-plumbing", readRefPlumbing],
  ["git-worktree", readWorktree],
  ["git-foreign-push", readForeignPush],
];
