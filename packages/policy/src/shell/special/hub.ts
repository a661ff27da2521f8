import type { CommandCall } from "../effects.ts";
import { literalWord, type ShellWord } from "../shell-word.ts";
import { startWords } from "../unwrap.ts";
import { shortRef } from "./refspec.ts";
import { has } from "./has.ts";

/** Clients of code hosts, and other systems that push: they change refs without `git push`. */

function valuesOf(call: CommandCall, ...names: readonly string[]): readonly (ShellWord | undefined)[] {
  return call.parsed.flags.filter((flag) => names.includes(flag.name)).map((flag) => flag.value);
}

interface RefChange {
  readonly action?: "write" | "delete";
  readonly name: string | undefined;
  readonly force?: boolean;
  /** The words allow it but do not show it. */
  readonly possible?: boolean;
}

/** A ref on a host is changed. */
export function changeRemoteRef(call: CommandCall, { action, name, force, possible }: RefChange): void {
  call.effects.readOnly = false;
  call.effects.resources.push({
    action: action ?? "write",
    kind: "ref",
    value: name === undefined ? undefined : shortRef(name),
    // No plain push: what it goes to is not looked up.
    extent: name === undefined ? "tree" : "exact",
    force: force ?? false,
    ...(possible === true ? { possible: true as const } : {}),
    origin: `${call.program} ${call.parsed.subcommand.join(" ")}`.trim(),
  });
}

/** Everything that is not hub's own is handed to git. */
function readHub(call: CommandCall): void {
  const { parsed, words } = call;
  if (parsed.subcommand.length === 0 && words.length > 1)
    startWords(call, [literalWord("git"), ...words.slice(1)], [], call.folders);
}

const refPath = /\/git\/refs(?:\/(?:heads|tags)\/([^?]+)|\/([^?]+))?(?:\?|$)/;

/** What a request to the API of a code host does to refs, by its method, path and fields. */
export function readRefRequest(
  call: CommandCall,
  request: {
    readonly method: string | undefined;
    readonly path: string;
    readonly fields: readonly (ShellWord | undefined)[];
    /** The body is not in the words. */
    readonly hidden: boolean;
  },
): void {
  const { method, fields, hidden } = request;
  const path = `/${request.path.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/^\/+/, "")}`;
  const field = (name: string): string | undefined =>
    fields.find((word) => word?.value?.startsWith(`${name}=`))?.value?.slice(name.length + 1);
  const unknown = hidden || fields.some((word) => word === undefined || word.value === undefined);
  if (path.endsWith("/graphql")) {
    const query = field("query");
    const reads = query !== undefined && !query.startsWith("@") && !/\bmutation\b/.test(query);
    if (reads && !unknown) return;
    if (query !== undefined && !query.startsWith("@") && !/ref|branch|commit|pullrequest/i.test(query))
      return;
    for (const force of [false, true]) changeRemoteRef(call, { name: undefined, force, possible: true });
    return;
  }
  if (method === "GET" || method === "HEAD") return;
  const refs = refPath.exec(path);
  if (refs !== null) {
    const name = refs[1] ?? refs[2] ?? field("ref");
    if (method === "DELETE") changeRemoteRef(call, { action: "delete", name });
    else {
      const force = field("force");
      const forced = force === "true" || force === "1";
      if (!forced) changeRemoteRef(call, { name });
      if (forced) changeRemoteRef(call, { name, force: true });
      else if (unknown || method === undefined) changeRemoteRef(call, { name, force: true, possible: true });
    }
    return;
  }
  const branch = /\/(?:repository\/)?branches(?:\/([^/?]+))?(?:\?|$|\/rename)/.exec(path);
  if (branch !== null)
    changeRemoteRef(call, {
      action: method === "DELETE" ? "delete" : "write",
      name: branch[1] ?? field("branch"),
    });
  else if (/\/(merges|merge-upstream|merge|contents\/.*|commits)(\?|$)/.test(path))
    changeRemoteRef(call, { name: field("base") ?? field("branch"), possible: true });
}

function readApi(call: CommandCall): void {
  const { parsed, effects } = call;
  effects.readOnly = false;
  const [path] = parsed.operands;
  const fields = valuesOf(call, "--raw-field", "--field");
  const hidden = has(call, "--input");
  const given = valuesOf(call, "--method").at(-1);
  const method =
    given === undefined ? (fields.length > 0 || hidden ? "POST" : "GET") : given.value?.toUpperCase();
  if (path?.value !== undefined) readRefRequest(call, { method, path: path.value, fields, hidden });
  else if (method !== "GET" && path !== undefined)
    for (const force of [false, true]) changeRemoteRef(call, { name: undefined, force, possible: true });
}

/** The branch that is merged into stands on the host. */
function readMerge(call: CommandCall): void {
  if (call.parsed.subcommand[0] === "pr" || call.parsed.subcommand[0] === "mr")
    changeRemoteRef(call, { name: undefined, possible: true });
}

function readSync(call: CommandCall): void {
  const [branch] = valuesOf(call, "--branch");
  changeRemoteRef(call, { name: branch?.value, force: has(call, "--force") });
}

/** `jj git push` moves bookmarks on the remote, also backwards, where nobody else has moved them. */
function readJjPush(call: CommandCall): void {
  const names = valuesOf(call, "--bookmark");
  if (names.length === 0 || has(call, "--all", "--tracked", "--deleted", "--change", "--revisions"))
    for (const force of [false, true]) changeRemoteRef(call, { name: undefined, force, possible: force });
  for (const name of names) {
    changeRemoteRef(call, { name: name?.value });
    changeRemoteRef(call, { name: name?.value, force: true, possible: true });
  }
}

/** A push of another system, whose branches are not named like refs. */
function readOtherPush(call: CommandCall): void {
  const [name] = valuesOf(call, "--branch", "--bookmark", "--to");
  changeRemoteRef(call, { name: name?.value, force: has(call, "--force") });
}

export const hubSpecials: readonly (readonly [string, (call: CommandCall) => void])[] = [
  ["hub", readHub],
  ["gh-api", readApi],
  ["gh-merge", readMerge],
  ["gh-sync", readSync],
  ["jj-push", readJjPush],
  ["other-push", readOtherPush],
];
