import { findProgram } from "../programs/table.ts";
import { coversDangerous } from "../shell/environment.ts";

/** Why a variable must not be trusted in front of every command, or nothing. */
export function trustedVariableProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*\*?$/.test(name) && name !== "*")
    return `${JSON.stringify(name)} is no name of a variable; a * stands only at its end`;
  const dangerous = coversDangerous(name);
  if (dangerous === undefined) return undefined;
  const what = dangerous === name ? name : `${JSON.stringify(name)} means ${dangerous} too, which`;
  return `${what} can change what runs; name it in the env of the one command that needs it`;
}

/** Folders in which anybody may put a program. */
const shared = /^\/(tmp|var\/tmp|dev\/shm|private\/tmp)(\/|$)/;

/** Why the programs of a folder cannot be told by their names, or nothing. */
export function programFolderProblem(folder: string): string | undefined {
  const text = JSON.stringify(folder);
  if (!/^(\/|[A-Za-z]:[/\\])/.test(folder))
    return `${text} is not absolute; what it means would change with the folder that a command runs in`;
  if (/[/\\]$/.test(folder)) return `${text} ends in a slash; leave it out`;
  if (folder.split(/[/\\]/).some((part) => part === "." || part === ".."))
    return `${text} is not written straight; leave . and .. out`;
  return shared.test(folder) ? `${text} is a folder in which anybody may put a program` : undefined;
}

/** Why a program cannot be declared to do nothing but start another one, or nothing. */
export function wrapperProblem(name: string): string | undefined {
  const text = JSON.stringify(name);
  if (/[\s/\\]/.test(name)) return `${text}: a wrapper is named by one word, without a folder`;
  return findProgram(name) === undefined
    ? undefined
    : `${text} is known, and does more than start another program`;
}
