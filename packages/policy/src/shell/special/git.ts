import type { ResourceFact } from "../../subject.ts";
import { applyRole, type CommandCall } from "../effects.ts";
import { hostFact } from "../resources.ts";
import { literalWord, wordTail, type ShellWord } from "../shell-word.ts";
import { pushedRef, shortRef, type PushMode } from "./refspec.ts";

function has(call: CommandCall, ...names: readonly string[]): boolean {
  return call.parsed.flags.some((flag) => names.includes(flag.name));
}

function operandsAfterDashes(call: CommandCall): {
  readonly before: ShellWord[];
  readonly after: ShellWord[];
} {
  const before: ShellWord[] = [];
  const after: ShellWord[] = [];
  call.parsed.operands.forEach((word, index) => {
    (call.parsed.afterDashes[index] === true ? after : before).push(word);
  });
  return { before, after };
}

/** Settings that `-c` may give without changing what git runs or where it looks. */
const harmlessSetting =
  /^(color\.|core\.(quotepath|autocrlf|abbrev|precomposeunicode|longpaths)=|user\.(name|email)=|commit\.gpgsign=|tag\.gpgsign=|advice\.|diff\.(renames|context|algorithm|mnemonicprefix|noprefix)=|log\.|pull\.(rebase|ff)=|init\.defaultbranch=|push\.default=|gc\.auto=|column\.|status\.|merge\.conflictstyle=|rebase\.autosquash=)/i;

function readGit(call: CommandCall): void {
  const { parsed, effects } = call;
  for (const flag of parsed.flags) {
    if (
      flag.name === "-c" &&
      flag.option?.role === "text" &&
      !harmlessSetting.test(flag.value?.value ?? "")
    ) {
      effects.doubt("environment", `git -c ${flag.value?.raw ?? ""} can change what git runs`);
    }
  }
  for (const word of parsed.operands) {
    if (/^(ext|fd)::/.test(word.value ?? word.prefix)) effects.hide("a remote helper runs a command");
  }
  const name = parsed.subcommand[0];
  if (name === undefined) {
    if (parsed.operands.length === 0 && !parsed.unknown && parsed.flags.length > 0) {
      effects.readOnly = parsed.flags.every((flag) => flag.option?.unsafe === false);
    }
    return;
  }
  // Not a command of git: an alias, which may run anything, or a program `git-name`.
  if (parsed.unknown && parsed.spec?.subcommands?.has(name) === false)
    effects.hide(`git ${name} is an alias or another program`);
}

/** A remote: a name, a URL, `host:path`, or a folder. */
function readRemote(call: CommandCall, word: ShellWord | undefined, action: "read" | "write"): void {
  const { effects } = call;
  const origin = `git ${call.parsed.subcommand[0] ?? ""} ${word?.raw ?? ""}`.trim();
  effects.readOnly = false;
  const text = word?.value;
  if (word === undefined || text === undefined) return;
  const first = effects.resources.findIndex((one) => one.kind === "host" && one.value === undefined);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/:]+@?[^/:]*:[^:]/.test(text)) {
    const host = /^file:/i.test(text) ? undefined : hostFact(word, origin);
    if (host === undefined) applyRole(call, "url", word, origin);
    else if (first === -1) effects.resources.push(host);
    else effects.resources[first] = host;
  } else if (/^(\.{0,2}\/|\.\.?$|~)/.test(text)) effects.path(action, word, origin, { tree: true });
}

function readPush(call: CommandCall): void {
  const { parsed, effects } = call;
  const [remote, ...specs] = parsed.operands;
  readRemote(call, remote ?? parsed.flags.find((flag) => flag.name === "--repo")?.value, "write");
  const mode: PushMode = {
    force: has(call, "--force", "--force-with-lease", "--mirror"),
    delete: has(call, "--delete"),
    base: effects.base[0],
    origin: `git push ${parsed.operands.map((word) => word.raw).join(" ")}`.trim(),
  };
  const where = mode.base === undefined ? {} : { base: mode.base };
  const refs: ResourceFact[] = [];
  specs.forEach((word, index) => {
    if (word.value === "tag" && index + 1 < specs.length) return;
    refs.push(pushedRef(word, mode));
  });
  const every = has(call, "--mirror", "--all", "--tags", "--prune");
  if (refs.length === 0 || every) {
    refs.push({
      action: "write",
      kind: "ref",
      value: undefined,
      ...(every ? { extent: "tree" as const } : {}),
      force: mode.force,
      ...where,
      origin: mode.origin,
    });
  }
  if (has(call, "--mirror", "--prune")) {
    refs.push({
      action: "delete",
      kind: "ref",
      value: undefined,
      extent: "tree",
      force: true,
      ...where,
      origin: mode.origin,
    });
  }
  effects.resources.push(...refs);
}

function readFetch(call: CommandCall): void {
  const { parsed, effects } = call;
  const [remote, ...specs] = parsed.operands;
  const name = parsed.subcommand[0];
  if (name !== "clone") readRemote(call, remote, "read");
  if (name === "clone" && parsed.operands.length === 1) {
    const folder = remote?.value
      ?.replace(/\/+$/, "")
      .replace(/\.git$/, "")
      .split(/[/:]/)
      .at(-1);
    effects.path(
      "write",
      folder === undefined ? { raw: remote?.raw ?? "", value: undefined, prefix: "" } : literalWord(folder),
      "git clone",
      { tree: true },
    );
  }
  if (name !== "fetch" && name !== "pull") return;
  for (const word of specs) {
    if ((word.value ?? word.prefix).includes(":")) {
      const fetched = pushedRef(word, {
        force: has(call, "--force"),
        delete: false,
        base: effects.base[0],
        origin: `git ${name} ${word.raw}`,
      });
      effects.resources.push({ ...fetched, local: true });
    }
  }
}

/** `rev:path` names a file in a commit, `:path` one in the index, `:(magic)path` and `:/path` a pathspec. */
function fileInCommit(word: ShellWord): ShellWord | undefined {
  const text = word.value ?? word.prefix;
  const magic = /^:(\([^)]*\)|[!^/]+)/.exec(text);
  if (magic !== null) return wordTail(word, magic[0].length);
  const stage = /^:(\d:)?(?=[^/!^(])/.exec(text);
  if (stage !== null) return wordTail(word, stage[0].length);
  const colon = text.indexOf(":");
  if (colon <= 0 || text.startsWith("//", colon + 1)) return undefined;
  return wordTail(word, colon + 1);
}

function readObjects(call: CommandCall): void {
  const { parsed, effects } = call;
  const { before, after } = operandsAfterDashes(call);
  const name = parsed.subcommand[0] ?? "";
  const origin = (word: ShellWord) => `git ${name} ${word.raw}`;
  for (const flag of parsed.flags) {
    const lines = flag.name === "-L" ? flag.value?.value : undefined;
    if (lines !== undefined && flag.value !== undefined && lines.includes(":")) {
      effects.path("read", wordTail(flag.value, lines.lastIndexOf(":") + 1), origin(flag.value));
    }
  }
  const noIndex = has(call, "--no-index");
  const hasPattern = name === "grep" && !has(call, "-e", "-f");
  before.forEach((word, index) => {
    if (hasPattern && index === 0) return;
    const file = fileInCommit(word);
    if (file !== undefined && !noIndex) effects.path("read", file, origin(word));
    else if (noIndex) effects.path("read", word, origin(word), { tree: true });
    // A revision or a path: only git knows.
    else if (word.value !== undefined) effects.path("read", word, origin(word), { possible: true });
  });
  after.forEach((word, index) => {
    if (hasPattern && before.length === 0 && index === 0) return;
    effects.path("read", fileInCommit(word) ?? word, origin(word), { tree: noIndex });
  });
  if (name === "grep" && after.length === 0 && before.length <= 1)
    effects.path("read", literalWord("."), "git grep", { tree: true });
}

function readCheckout(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  const { before, after } = operandsAfterDashes(call);
  const name = parsed.subcommand[0] ?? "";
  const origin = (word: ShellWord) => `git ${name} ${word.raw}`;
  for (const word of after) effects.path("write", word, origin(word), { tree: true });
  for (const flag of parsed.flags) {
    if (flag.name === "-B" || flag.name === "--force-create") {
      effects.resources.push({
        action: "write",
        kind: "ref",
        value: refName(flag.value),
        force: true,
        local: true,
        origin: `git ${name} ${flag.name}`,
      });
    }
  }
  if (name !== "checkout" || has(call, "-b", "-B", "--orphan", "--detach")) return;
  before.forEach((word, index) => {
    if (index === 0 && (after.length > 0 || before.length > 1)) return;
    const sure = index > 0 || word.value === "." || word.value?.endsWith("/") === true;
    effects.path("write", word, origin(word), sure ? { tree: true } : { tree: true, possible: true });
  });
}

function readPaths(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  if (parsed.subcommand[1] === "save") return;
  for (const word of parsed.operands) effects.path("write", word, `git stash ${word.raw}`, { tree: true });
}

function readReset(call: CommandCall): void {
  const { effects } = call;
  effects.readOnly = false;
  if (has(call, "--hard", "--merge", "--keep")) return;
  for (const word of operandsAfterDashes(call).after)
    effects.path("read", word, `git reset ${word.raw}`, { tree: true });
}

function readClean(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  if (parsed.operands.length === 0 && !has(call, "--dry-run")) {
    effects.path("delete", literalWord("."), "git clean", { tree: true });
  }
}

function refName(word: ShellWord | undefined): string | undefined {
  return word?.value === undefined ? undefined : shortRef(word.value);
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

function readConfig(call: CommandCall): void {
  const { parsed, effects } = call;
  const [name, second] = parsed.subcommand;
  const asks = has(call, "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list");
  const changes = parsed.flags.some((flag) => flag.option?.unsafe === true);
  if (name === "config" && (second === undefined || second === "get" || second === "list")) {
    if (!changes && (asks || parsed.operands.length < 2)) {
      effects.readOnly = !parsed.unknown && parsed.uncertain === undefined;
      return;
    }
  }
  effects.readOnly = false;
  const file = parsed.flags.find((flag) => flag.name === "--file")?.value;
  const target =
    file ??
    literalWord(
      has(call, "--global") ? "~/.gitconfig" : has(call, "--system") ? "/etc/gitconfig" : ".git/config",
    );
  effects.path(
    "write",
    has(call, "--global") && file === undefined ? { ...target, tilde: true } : target,
    `git ${name ?? ""} ${second ?? ""}`.trim(),
  );
}

/** The patch itself names the files. */
function readApply(call: CommandCall): void {
  const { effects, parsed } = call;
  effects.readOnly = false;
  const looks = has(
    call,
    "--stat",
    "--numstat",
    "--summary",
    "--check",
    "--abort",
    "--quit",
    "--show-current-patch",
  );
  if (looks && !has(call, "--apply")) return;
  effects.path("write", literalWord("."), `git ${parsed.subcommand[0] ?? ""}`, { tree: true });
}

function changesTree(call: CommandCall): void {
  call.effects.readOnly = false;
}

export const gitSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["git", readGit],
  ["git-push", readPush],
  ["git-remote", readFetch],
  ["git-read", readObjects],
  ["git-checkout", readCheckout],
  ["git-paths", readPaths],
  ["git-reset", readReset],
  ["git-clean", readClean],
  ["git-branch", readRefs],
  ["git-tag", readRefs],
  ["git-config", readConfig],
  ["git-apply", readApply],
  ["git-tree", changesTree],
  ["git-other", changesTree],
];
