import { runLine, type CommandCall } from "../effects.ts";
import { literalWord, wordTail, type ShellWord } from "../shell-word.ts";
import { startWords } from "../unwrap.ts";

/** Settings, with their `=`, that change neither what git runs nor where it looks. */
export const harmlessSetting =
  /^(color\.|core\.(quotepath|autocrlf|abbrev|precomposeunicode|longpaths)=|user\.(name|email)=|commit\.gpgsign=|tag\.gpgsign=|advice\.|diff\.(renames|context|algorithm|mnemonicprefix|noprefix)=|log\.|pull\.(rebase|ff)=|init\.defaultbranch=|push\.default=|gc\.auto=|column\.|status\.|merge\.conflictstyle=|rebase\.autosquash=)/i;

/** Settings whose value is a command line. */
const commands =
  /^(core\.(sshcommand|pager|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|diff\.external|diff\..*\.(command|textconv)|(diff|merge)tool\..*\.cmd|merge\..*\.driver|filter\..*\.(clean|smudge|process)|pager\..*|interactive\.difffilter|gpg\.(.*\.)?program|credential(\..*)?\.helper|browser\..*\.cmd|man\..*\.cmd|uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack)|trailer\..*\.(cmd|command)|sendemail\..*cmd|web\.browser)$/i;

/** Most words that an alias may stand for. */
const maxAliasWords = 200;

/** The `-c name=value` of git itself; that of `git log -c` takes no value and shows merges. */
function settings(call: CommandCall): readonly (ShellWord | undefined)[] {
  return call.parsed.flags
    .filter(({ name, option }) => name === "-c" && option?.role === "text" && option.takes === "value")
    .map(({ value }) => value);
}

/** The values that `-c` gives settings of such a name; one that is not known is not among them. */
export function settingsOf(call: CommandCall, name: RegExp): readonly ShellWord[] {
  return settings(call).flatMap((word) => {
    const equals = word?.value?.indexOf("=") ?? -1;
    const given = word?.value !== undefined && equals !== -1 && name.test(word.value.slice(0, equals));
    return given ? [wordTail(word, equals + 1)] : [];
  });
}

/** What `git -c name=value` sets, and the commands among it. */
export function readSettings(call: CommandCall): void {
  for (const value of settings(call)) {
    if (harmlessSetting.test(value?.value ?? "")) continue;
    call.effects.doubt("environment", `git -c ${value?.raw ?? ""} can change what git runs`);
    const equals = value?.value?.indexOf("=") ?? -1;
    if (value?.value === undefined || equals === -1) continue;
    readSetting(call, value.value.slice(0, equals), wordTail(value, equals + 1));
  }
}

/** A setting that names a command: what is plainly there is read, so that a deny of it holds. */
export function readSetting(call: CommandCall, name: string, value: ShellWord): void {
  const text = value.value;
  if (text === undefined || text === "") return;
  const alias = /^alias\.(.+)$/i.exec(name)?.[1];
  if (alias !== undefined) call.analysis.gitAliases.set(alias.toLowerCase(), text);
  if (alias !== undefined && text.startsWith("!")) runLine(call, wordTail(value, 1), `git ${name}`);
  // A helper is a name of git's own, a path, or after `!` a line; `true` switches a monitor on.
  if (alias !== undefined || !commands.test(name) || /^(true|false|\d+|always|never|cat|less)$/i.test(text))
    return;
  runLine(call, text.startsWith("!") ? wordTail(value, 1) : value, `git ${name}`);
}

/** What the alias stands for, where this text says so. */
export function readAlias(call: CommandCall, name: string): void {
  const meaning = call.analysis.gitAliases.get(name.toLowerCase());
  if (meaning === undefined) return;
  const position = call.words.findIndex((word) => word.value === name);
  const rest = call.words.slice(position + 1);
  if (meaning.startsWith("!")) {
    runLine(call, literalWord(meaning.slice(1)), `git ${name}`);
    return;
  }
  const words = meaning.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || words.length > maxAliasWords) return;
  // An alias may use another one, but no word twice: depth is bounded like all that is nested.
  startWords(call, [literalWord("git"), ...words.map((word) => literalWord(word)), ...rest]);
}
