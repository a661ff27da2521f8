import type { CommandMatch, RuleMatch } from "./types.ts";

/**
 * Why a statement can never hold, whatever is called: a program or an option that is written as no program or option
 * can be, a host with more than its name. Such a rule looks like protection and is none, so it is refused.
 */
export function unmatchable(match: RuleMatch): string | undefined {
  const path = match.path?.glob?.find((glob) => glob.startsWith("$"));
  if (path !== undefined)
    return `${JSON.stringify(path)}: variables are not looked up in a pattern; write ~/`;
  const url = match.path?.glob?.find((glob) => /^[a-z][a-z0-9+.-]+:\/\//i.test(glob));
  if (url !== undefined) return `${JSON.stringify(url)}: a path is not a URL`;
  const ref = match.ref?.name?.map(refProblem).find((problem) => problem !== undefined);
  if (ref !== undefined) return ref;
  const host = match.host?.find((name) => /[/@\s]|^[^:]*:[^:]*$/.test(name));
  if (host !== undefined)
    return `${JSON.stringify(host)}: a host is a name, without scheme, user, port or path`;
  return match.command?.map(commandProblem).find((problem) => problem !== undefined);
}

/** A ref is the name that it has on the other side; a branch and a tag of one name are not told apart. */
function refProblem(name: string): string | undefined {
  const text = JSON.stringify(name);
  const remote = /^((refs\/)?remotes\/[^/]+|origin|upstream)\/(.+)$/.exec(name);
  if (remote !== null)
    return `${text}: a ref is named as it is on the remote; write ${JSON.stringify(remote[3])}`;
  const tag = /^(refs\/)?tags\/(.+)$/.exec(name);
  if (tag !== null)
    return `${text}: a tag is named like a branch, without refs/tags/; write ${JSON.stringify(tag[2])}`;
  return /[\s:+^~\\]/.test(name)
    ? `${text}: a ref is one name; say "force" for what + means, and name no source`
    : undefined;
}

function commandProblem(command: CommandMatch): string | undefined {
  if ("exact" in command) return undefined;
  if ("prefix" in command) {
    return command.prefix.at(-1) === "*"
      ? `${JSON.stringify(command.prefix.join(" "))}: a prefix goes on by itself; leave the * out`
      : undefined;
  }
  const word = [...command.program, ...(command.subcommand ?? [])].find((text) => /\s/.test(text));
  if (word !== undefined)
    return `${JSON.stringify(word)}: one word each; what follows a program goes into subcommand`;
  const { any = [], all = [], none = [], only = [] } = command.flags ?? {};
  const flag = [...any, ...all, ...none, ...only].find((name) => !/^[-+]/.test(name));
  return flag === undefined ? undefined : `${JSON.stringify(flag)}: an option begins with -`;
}
