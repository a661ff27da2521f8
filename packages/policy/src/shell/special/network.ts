import type { CommandCall } from "../effects.ts";
import { hostFact } from "../resources.ts";
import { literalWord, unknownWord, wordTail, type ShellWord } from "../shell-word.ts";
import { readRefRequest } from "./hub.ts";
import { has } from "./has.ts";

function valueOf(call: CommandCall, name: string): ShellWord | undefined {
  return call.parsed.flags.find((flag) => flag.name === name)?.value;
}

/** The file that a download is saved as when only its URL is given. */
function savedName(url: ShellWord, folder: string | undefined): ShellWord {
  const path = url.value?.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").replace(/[?#].*$/, "");
  const name = path?.includes("/") === true ? path.split("/").at(-1) : undefined;
  if (name === undefined || name === "")
    return folder === undefined ? unknownWord(url.raw) : literalWord(folder);
  return literalWord(folder === undefined ? name : `${folder}/${name}`);
}

/** `-T '{a,b}'`: curl has braces and ranges of its own. */
function curlFiles(word: ShellWord): readonly ShellWord[] {
  if (word.value === undefined || !/[[{]/.test(word.value)) return [];
  const [, before, list, after] = /^([^[{]*)\{([^[{}]*)\}([^[{]*)$/.exec(word.value) ?? [];
  if (list === undefined) return [unknownWord(word.raw)];
  return list.split(",").map((part) => literalWord(`${before ?? ""}${part}${after ?? ""}`));
}

function readCurl(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  const folder = valueOf(call, "--output-dir")?.value;
  if (has(call, "--remote-name", "--remote-name-all")) {
    const serverNames = has(call, "--remote-header-name");
    for (const url of parsed.operands) {
      effects.path("write", serverNames ? unknownWord(url.raw) : savedName(url, folder), "curl -O");
    }
  }
  const output = valueOf(call, "--output");
  if (output?.value !== undefined && folder !== undefined)
    effects.path("write", literalWord(`${folder}/${output.value}`), "curl --output-dir");
  readApiRequests(call);
  readOtherAddresses(call);
  const cookie = valueOf(call, "--cookie");
  if (cookie !== undefined && cookie.value?.includes("=") !== true) effects.path("read", cookie, "curl -b");
  for (const flag of parsed.flags) {
    if (flag.name === "--upload-file" && flag.value !== undefined)
      for (const file of curlFiles(flag.value)) effects.path("read", file, "curl --upload-file");
    // `--variable name@path`
    const variable = /^%?[^=@]*@/.exec(flag.value?.value ?? flag.value?.prefix ?? "");
    if (flag.name === "--variable" && flag.value !== undefined && variable !== null)
      effects.path("read", wordTail(flag.value, variable[0].length), "curl --variable");
    // `-F file=@path` and `--data name@path` put the name before the `@`.
    if (flag.name !== "--form" && flag.name !== "--data-urlencode") continue;
    const text = flag.value?.value ?? flag.value?.prefix ?? "";
    const at = flag.name === "--data-urlencode" ? /^[^=@]*@/.exec(text) : null;
    if (at !== null && at[0].length > 1 && flag.value !== undefined)
      effects.path("read", wordTail(flag.value, at[0].length), "curl --data-urlencode");
  }
}

const bodies = ["--data", "--data-binary", "--data-raw", "--data-urlencode", "--json", "--form"] as const;

/** A request that a code host takes for a change of a ref. Its body is not read. */
function readApiRequests(call: CommandCall): void {
  const sends = has(call, ...bodies, "--upload-file");
  const method = valueOf(call, "--request")?.value?.toUpperCase() ?? (sends ? "POST" : "GET");
  if (method === "GET" || method === "HEAD") return;
  const urls = [
    ...call.parsed.operands,
    ...call.parsed.flags.filter(({ name }) => name === "--url").map(({ value }) => value),
  ];
  for (const url of urls) {
    if (url?.value?.includes("/git/refs") === true || url?.value?.endsWith("/graphql") === true)
      readRefRequest(call, { method, path: url.value, fields: [], hidden: true });
  }
}

/** Another machine than the one that the URL names: `--resolve host:port:address`, `--connect-to from:port:to:port`. */
function readOtherAddresses(call: CommandCall): void {
  for (const { name, value } of call.parsed.flags) {
    if (name !== "--resolve" && name !== "--connect-to") continue;
    const text = value?.value;
    const part = /^[^:]*:[^:]*:(.*)$/s.exec(text ?? "")?.[1];
    if (text === undefined || part === undefined) {
      if (text?.startsWith("-") !== true) call.effects.resources.push(hostFact(undefined, `curl ${name}`));
      continue;
    }
    const hosts = name === "--resolve" ? part.split(",") : [/^(\[[^\]]*\]|[^:]*)/.exec(part)?.[0] ?? ""];
    for (const host of hosts)
      if (host !== "")
        call.effects.resources.push(
          hostFact(
            literalWord(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host),
            `curl ${name}`,
          ),
        );
  }
}

function readWget(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  if (has(call, "--spider", "--output-document")) return;
  const folder = valueOf(call, "--directory-prefix")?.value;
  if (has(call, "--recursive", "--mirror", "--page-requisites")) {
    effects.path("write", literalWord(folder ?? "."), "wget -r", { tree: true });
    return;
  }
  for (const url of parsed.operands) effects.path("write", savedName(url, folder), "wget");
}

function readRsync(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  const target = parsed.operands.at(-1);
  const removes = parsed.flags.some((flag) => flag.name.startsWith("--del"));
  if (removes && target !== undefined && !/^[^/]+:/.test(target.value ?? target.prefix))
    effects.path("delete", target, "rsync --delete", { tree: true });
  if (has(call, "--remove-source-files")) {
    for (const word of parsed.operands.slice(0, -1))
      effects.path("delete", word, "rsync --remove-source-files", { tree: true });
  }
}

const stepwise: ReadonlySet<string> = new Set(["ftp", "lftp", "sftp", "tftp"]);

/** `httpie`: an optional method, the URL, and items of which some are files. */
function readHttpie(call: CommandCall): void {
  const { program, parsed, effects } = call;
  const items = [...parsed.operands];
  if (/^[A-Z]+$/.test(items[0]?.value ?? "")) items.shift();
  const [url, ...rest] = items;
  const unknown = effects.resources.findIndex((one) => one.kind === "host" && one.value === undefined);
  if (url !== undefined && unknown !== -1) effects.resources.splice(unknown, 1);
  if (url !== undefined) effects.resources.push(hostFact(url, `${program} ${url.raw}`));
  for (const item of rest) {
    const at = /^[^@=:]*(?::?=)?@/.exec(item.value ?? item.prefix);
    if (at !== null) effects.path("read", wordTail(item, at[0].length), `${program} ${item.raw}`);
    else if (item.value === undefined) effects.path("read", item, `${program} ${item.raw}`);
  }
  if (call.scope.input.kind !== "inherited") effects.readOnly = false;
}

/** A key is read, and written where it is made or changed. */
function readKeygen(call: CommandCall): void {
  for (const { name, value } of call.parsed.flags)
    if (name === "-f" && value !== undefined) call.effects.path("read", value, "ssh-keygen -f");
  if (has(call, "-f", "-l", "-y", "-F", "-B", "-e", "-D", "-s") || call.words.length < 2) return;
  // Without a name it is the person's own file.
  const value = has(call, "-R", "-H") ? "~/.ssh/known_hosts" : "~/.ssh/id_*";
  call.effects.path(
    "write",
    { raw: value, value, prefix: value, tilde: true, ...(value.endsWith("*") ? { glob: true } : {}) },
    "ssh-keygen",
  );
}

/** `openssl s_client host:port` */
function readOpenssl(call: CommandCall): void {
  if (!/^s_(client|time)$/.test(call.parsed.subcommand[0] ?? "")) return;
  call.effects.readOnly = false;
  for (const word of call.parsed.operands) call.effects.resources.push(hostFact(word, "openssl s_client"));
}

/** Names that are looked up reach whoever answers for them. */
function readGetent(call: CommandCall): void {
  const [database, ...names] = call.parsed.operands;
  if (database?.value !== undefined && !/^(ahosts.*|hosts)$/.test(database.value)) return;
  for (const name of names) call.effects.resources.push(hostFact(name, `getent ${database?.raw}`));
}

function readSocket(call: CommandCall): void {
  const { program, words, effects } = call;
  if (stepwise.has(program) && call.scope.input.kind !== "inherited")
    effects.hide(`${program} runs what it reads from standard input`);
  if (program === "socat") {
    for (const word of words.slice(1)) {
      const text = word.value ?? word.prefix;
      if (/^(exec|system|shell)\b/i.test(text)) effects.hide("socat runs a command");
      const file = /^(open|create|file|gopen):([^,]+)/i.exec(text);
      if (file?.[2] !== undefined) {
        effects.path("write", literalWord(file[2]), `socat ${word.raw}`);
        effects.path("read", literalWord(file[2]), `socat ${word.raw}`);
      }
      const host = /^(tcp|udp|openssl|ssl)[46]?(?:-connect)?:([^:,]+)/i.exec(text);
      if (host?.[2] !== undefined)
        effects.resources.push(hostFact(literalWord(host[2]), `socat ${word.raw}`));
    }
  }
}

export const networkSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["curl", readCurl],
  ["wget", readWget],
  ["rsync", readRsync],
  ["socket", readSocket],
  ["httpie", readHttpie],
  ["keygen", readKeygen],
  ["openssl", readOpenssl],
  ["getent", readGetent],
];
