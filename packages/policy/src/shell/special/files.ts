import { applyRole, runLine, type CommandCall } from "../effects.ts";
import { isHarmlessVariable } from "../environment.ts";
import { literalWord, unknownWord, wordTail } from "../shell-word.ts";
import { has } from "./has.ts";

function readDd(call: CommandCall): void {
  call.effects.readOnly = false;
  for (const word of call.words.slice(1)) {
    const text = word.value ?? word.prefix;
    if (text.startsWith("if=")) call.effects.path("read", wordTail(word, 3), "dd if=");
    else if (text.startsWith("of=")) call.effects.path("write", wordTail(word, 3), "dd of=");
    else if (word.value === undefined) call.effects.path("write", word, "dd");
  }
}

/** A link may later be written or read through: what it points to counts as touched. */
function readLink(call: CommandCall): void {
  const { parsed, effects } = call;
  const targets =
    has(call, "--target-directory") || parsed.operands.length === 1
      ? parsed.operands
      : parsed.operands.slice(0, -1);
  for (const word of targets) effects.path("write", word, `ln ${word.raw}`, { possible: true });
  // `ln target` makes a link of the same name here.
  const only =
    parsed.operands.length === 1 && !has(call, "--target-directory") ? parsed.operands[0] : undefined;
  const name = only?.value?.split("/").at(-1);
  if (name !== undefined) effects.path("write", literalWord(name), `ln ${name}`);
}

/** `chmod -x file`: a mode that looks like an option. */
function readMode(call: CommandCall): void {
  const { words, effects, parsed } = call;
  const mode = words.slice(1).find((word) => /^-[rwxXstugo]+$/.test(word.value ?? ""));
  if (mode === undefined || call.program !== "chmod") return;
  const first = parsed.operands[0];
  if (first !== undefined)
    effects.path("write", first, `chmod ${first.raw}`, { tree: has(call, "--recursive") });
}

function readPatch(call: CommandCall): void {
  const { parsed, effects } = call;
  if (has(call, "--dry-run")) return;
  // The patch itself names the files.
  if (parsed.operands.length === 0 && !has(call, "--output"))
    effects.path("write", literalWord("."), "patch", { tree: true });
}

function readTar(call: CommandCall): void {
  const { parsed, effects } = call;
  const origin = (raw: string) => `tar ${raw}`;
  const packs = has(call, "--create", "--append", "--update", "--catenate", "--delete");
  const unpacks = has(call, "--extract");
  effects.readOnly =
    has(call, "--list", "--diff") &&
    !parsed.unknown &&
    parsed.flags.every((flag) => flag.option?.unsafe !== true);
  for (const flag of parsed.flags) {
    if (flag.name === "--file" && flag.value !== undefined) {
      const text = flag.value.value ?? flag.value.prefix;
      if (/^[^/:]+:/.test(text)) applyRole(call, "remote-write", flag.value, origin(flag.value.raw));
      else if (text !== "-")
        withFolders(call, () =>
          effects.path(packs ? "write" : "read", flag.value ?? unknownWord(""), origin(flag.name)),
        );
    }
    if (flag.name !== "--checkpoint-action" || flag.value === undefined) continue;
    const action = flag.value.value ?? flag.value.prefix;
    if (action.startsWith("exec=")) runLine(call, wordTail(flag.value, 5), "tar --checkpoint-action");
    else if (flag.value.value === undefined)
      effects.hide("tar --checkpoint-action is not known before it runs");
  }
  if (packs) for (const word of parsed.operands) effects.path("read", word, origin(word.raw), { tree: true });
  if (has(call, "--remove-files"))
    for (const word of parsed.operands) effects.path("delete", word, origin(word.raw), { tree: true });
  if (unpacks && !has(call, "--to-stdout")) effects.path("write", literalWord("."), "tar -x", { tree: true });
}

/** The archive itself is named from where the command runs, not from `-C`. */
function withFolders(call: CommandCall, run: () => void): void {
  const base = call.effects.base;
  call.effects.base = call.folders;
  run();
  call.effects.base = base;
}

function readUnzip(call: CommandCall): void {
  const { effects, program, parsed } = call;
  const lists = program === "unzip" && has(call, "-l", "-t", "-v", "-Z", "-z", "-p", "-c");
  effects.readOnly = lists && !parsed.unknown;
  if (!lists && !has(call, "-d")) effects.path("write", literalWord("."), program, { tree: true });
  if (program !== "unzip") {
    for (const word of parsed.operands.slice(1)) {
      effects.path("write", word, `${program} ${word.raw}`, { possible: true });
      effects.path("read", word, `${program} ${word.raw}`, { possible: true });
    }
  }
}

/** `less +cmd`: what is typed at its start, where `!`, `|` and `v` start programs. */
function readPager(call: CommandCall): void {
  for (const word of call.parsed.operands) {
    if (/^\+.*[!|v]/s.test(word.value ?? "")) call.effects.hide(`${call.program} ${word.raw} runs a command`);
  }
}

/** Packs or unpacks its operands, and with `cpio -o` and `-p` whatever its input names. */
function readMembers(call: CommandCall): void {
  const { parsed, effects, program } = call;
  for (const word of parsed.operands)
    effects.path("read", word, `${program} ${word.raw}`, { possible: true });
  // It puts files where the archive says, unless it is told not to.
  if (program === "cpio" && has(call, "--extract") && !has(call, "--no-absolute-filenames"))
    effects.path("write", unknownWord("…"), "cpio -i");
  if (program !== "ar" && has(call, "--create", "--pass-through", "-w"))
    effects.path("read", unknownWord("…"), program);
}

function readCompress(call: CommandCall): void {
  const { parsed, effects, program } = call;
  const tree = has(call, "--recursive");
  const prints = has(call, "--stdout", "--list", "--test");
  effects.readOnly = prints && !parsed.unknown && !has(call, "--output", "--rm");
  for (const word of parsed.operands) {
    effects.path("read", word, `${program} ${word.raw}`, { tree });
    if (prints) continue;
    effects.path(
      "write",
      word.value === undefined ? word : literalWord(`${word.value}*`),
      `${program} ${word.raw}`,
      { tree, possible: true },
    );
    if (!has(call, "--keep") && program !== "zstd" && program !== "unzstd" && program !== "brotli")
      effects.path("delete", word, `${program} ${word.raw}`, { tree });
  }
}

function readCrontab(call: CommandCall): void {
  const { parsed, effects } = call;
  if (has(call, "-l") && parsed.operands.length === 0) {
    effects.readOnly = !parsed.unknown;
    return;
  }
  effects.readOnly = false;
  if (!has(call, "-r")) effects.hide("crontab installs commands that run later");
}

function readAt(call: CommandCall): void {
  const { parsed, effects, program } = call;
  if (program === "atq" || has(call, "-l")) {
    effects.readOnly = true;
    return;
  }
  if (program === "atrm" || has(call, "-d", "-c", "-V")) return;
  effects.hide("at runs commands later");
  for (const word of parsed.operands) if (word.value === undefined) effects.readOnly = false;
}

function readMount(call: CommandCall): void {
  if (call.words.length === 1 || (call.parsed.operands.length === 0 && has(call, "-l")))
    call.effects.readOnly = true;
}

function readMake(call: CommandCall): void {
  const { parsed, effects } = call;
  for (const word of parsed.operands) {
    const name = /^([A-Za-z_]\w*)[:+?!]*=/.exec(word.value ?? word.prefix)?.[1];
    if (name !== undefined && name !== "V" && !isHarmlessVariable(name))
      effects.doubt("environment", `make ${word.raw} sets what its rules run`);
  }
}

function readDockerRun(call: CommandCall): void {
  call.effects.readOnly = false;
  for (const flag of call.parsed.flags) {
    if (flag.name !== "--volume" && flag.name !== "--mount") continue;
    const text = flag.value?.value ?? "";
    const source = flag.name === "--volume" ? text.split(":")[0] : /(?:source|src)=([^,]*)/.exec(text)?.[1];
    if (flag.value?.value === undefined)
      call.effects.path("write", unknownWord(flag.value?.raw ?? ""), `docker ${flag.name}`, { tree: true });
    else if (source !== undefined && /[\\/]|^[.~]/.test(source))
      call.effects.path("write", literalWord(source), `docker ${flag.name}`, { tree: true });
  }
}

export const fileSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["dd", readDd],
  ["link", readLink],
  ["mode", readMode],
  ["patch", readPatch],
  ["tar", readTar],
  ["unzip", readUnzip],
  ["compress", readCompress],
  ["members", readMembers],
  ["pager", readPager],
  ["crontab", readCrontab],
  ["at", readAt],
  ["mount", readMount],
  ["make", readMake],
  ["docker-run", readDockerRun],
];
