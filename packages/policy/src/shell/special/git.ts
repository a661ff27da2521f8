import type { ResourceFact } from "../../subject.ts";
import { applyRole, type CommandCall } from "../effects.ts";
import { hostFact, pathFacts } from "../resources.ts";
import { literalWord, wordTail, type ShellWord } from "../shell-word.ts";
import { harmlessSetting, readAlias, readSetting, readSettings, settingsOf } from "./git-settings.ts";
import { changeRef, refName } from "./git-refs.ts";
import { pushedRef, type PushMode } from "./refspec.ts";
import { has } from "./has.ts";

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

/**
 * It rewrites files of the working tree, and only the repository knows which. From a folder below the call's own, the
 * tree is most likely the one that both are in.
 */
function rewriteTree(call: CommandCall): void {
  const { effects, analysis } = call;
  const origin = `git ${call.parsed.subcommand.join(" ")}`.trim();
  const here = literalWord(".");
  effects.within(here, origin);
  const top = analysis.options.cwd;
  if (top === undefined) return;
  const inner = effects.base.some((folder) => folder?.startsWith(`${top.replace(/\/+$/, "")}/`) === true);
  if (inner) effects.resources.push(...pathFacts("write", here, [top], origin, { within: true }));
}

function readGit(call: CommandCall): void {
  const { parsed, effects } = call;
  readSettings(call);
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
  if (parsed.unknown && parsed.spec?.subcommands?.has(name) === false) {
    effects.hide(`git ${name} is an alias or another program`);
    readAlias(call, name);
  }
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
  const [remote, ...named] = parsed.operands;
  readRemote(call, remote ?? parsed.flags.find((flag) => flag.name === "--repo")?.value, "write");
  // Without a refspec that is named, those of `-c remote.origin.push=…` count.
  const specs = named.length > 0 ? named : settingsOf(call, /^remote\..*\.push$/i);
  const mirrors = settingsOf(call, /^remote\..*\.mirror$/i).some(
    ({ value }) => !/^(false|no|off|0|)$/i.test(value ?? "?"),
  );
  const mode: PushMode = {
    force: mirrors || has(call, "--force", "--force-with-lease", "--mirror"),
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
  const every = mirrors || has(call, "--mirror", "--all", "--tags", "--prune");
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
  if (mirrors || has(call, "--mirror", "--prune")) {
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
  if (name === "pull") rewriteTree(call);
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
  const makes = has(call, "-b", "-B", "--orphan", "--create", "--force-create");
  // A branch, unless what stands there can only be paths; a new branch starts from here where nothing else is named.
  const [only] = before;
  const paths = name === "checkout" && (after.length > 0 || before.length > 1 || isPathspec(only));
  const moves = has(call, "--detach", "--patch", "--pathspec-from-file") || (before.length > 0 && !paths);
  if (moves || (makes && before.length > 0)) rewriteTree(call);
  if (name !== "checkout" || makes || has(call, "--detach")) return;
  before.forEach((word, index) => {
    if (index === 0 && (after.length > 0 || before.length > 1)) return;
    const sure = index > 0 || isPathspec(word);
    effects.path("write", word, origin(word), sure ? { tree: true } : { tree: true, possible: true });
  });
}

function isPathspec(word: ShellWord | undefined): boolean {
  return word?.value === "." || word?.value?.endsWith("/") === true;
}

function readPaths(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  if (parsed.operands.length === 0 || parsed.subcommand[1] === "save") rewriteTree(call);
  if (parsed.subcommand[1] === "save") return;
  for (const word of parsed.operands) effects.path("write", word, `git stash ${word.raw}`, { tree: true });
}

function readReset(call: CommandCall): void {
  const { effects } = call;
  effects.readOnly = false;
  if (has(call, "--hard", "--merge", "--keep")) {
    rewriteTree(call);
    return;
  }
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

/** Commands whose table entry names no ref, but whose last word or option does. */
function readTreeAndRefs(call: CommandCall): void {
  const { parsed } = call;
  const [name, second] = parsed.subcommand;
  changesTree(call);
  if (name === "rebase" && parsed.operands.length > 1)
    changeRef(call, parsed.operands.at(-1), { force: true });
  if (name === "rebase" && has(call, "--update-refs"))
    changeRef(call, undefined, { force: true, possible: true });
  if (name === "stash" && second === "branch") changeRef(call, parsed.operands[0]);
}

function readSubmodule(call: CommandCall): void {
  readConfig(call);
  if (/^(add|update|deinit)$/.test(call.parsed.subcommand[1] ?? "")) rewriteTree(call);
}

/** A repository is made where an operand says, or here. */
function readInit(call: CommandCall): void {
  const { parsed, effects } = call;
  const [folder] = parsed.operands;
  if (folder !== undefined) effects.within(folder, `git init ${folder.raw}`);
  effects.path(
    "write",
    literalWord(folder?.value === undefined ? ".git" : `${folder.value}/.git`),
    "git init",
    {
      within: true,
    },
  );
}

function readCheckoutIndex(call: CommandCall): void {
  const { parsed } = call;
  const prefix = parsed.flags.find((flag) => flag.name === "--prefix")?.value;
  if (prefix !== undefined) call.effects.path("write", prefix, "git checkout-index --prefix", { tree: true });
  else changesTree(call);
}

function readConfig(call: CommandCall): void {
  const { parsed, effects } = call;
  const [name, second] = parsed.subcommand;
  const asks = has(call, "--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list");
  const changes = parsed.flags.some((flag) => flag.option?.unsafe === true);
  const [key, value] = parsed.operands;
  if (name === "config" && key?.value !== undefined && value !== undefined)
    readSetting(call, key.value, value);
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
  const origin = `git ${name ?? ""} ${second ?? ""}`.trim();
  if (name === "remote" && /^(add|set-url)$/.test(second ?? "")) readRemote(call, parsed.operands[1], "read");
  const plain = name !== "config" || (value !== undefined && harmlessSetting.test(`${key?.value ?? ""}=`));
  // A remote, or a name to commit under: nothing that runs later is written, only git's own files.
  if (plain && file === undefined && !has(call, "--global", "--system"))
    effects.within(literalWord(".git"), origin);
  else
    effects.path(
      "write",
      has(call, "--global") && file === undefined ? { ...target, tilde: true } : target,
      origin,
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
  if (has(call, "--abort")) rewriteTree(call);
  if (looks && !has(call, "--apply")) return;
  effects.path("write", literalWord("."), `git ${parsed.subcommand[0] ?? ""}`, { tree: true });
}

function changesTree(call: CommandCall): void {
  call.effects.readOnly = false;
  if (!has(call, "--quit", "--show-current-patch")) rewriteTree(call);
}

function changesRepository(call: CommandCall): void {
  call.effects.readOnly = false;
}

export const gitSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["git", readGit],
  ["git-push", readPush],
  ["git-remote", readFetch],
  ["git-request", (call) => readRemote(call, call.parsed.operands[1], "read")],
  ["git-read", readObjects],
  ["git-checkout", readCheckout],
  ["git-paths", readPaths],
  ["git-reset", readReset],
  ["git-clean", readClean],
  ["git-config", readConfig],
  ["git-apply", readApply],
  ["git-tree", readTreeAndRefs],
  ["git-other", changesRepository],
  ["git-submodule", readSubmodule],
  ["git-init", readInit],
  ["git-checkout-index", readCheckoutIndex],
];
