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
  const cookie = valueOf(call, "--cookie");
  if (cookie !== undefined && cookie.value?.includes("=") !== true) effects.path("read", cookie, "curl -b");
  for (const flag of parsed.flags) {
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

function readSocket(call: CommandCall): void {
  const { program, words, effects } = call;
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
];
