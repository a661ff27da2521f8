import { isInside } from "../paths/normalize.ts";
import type { ResourceFact } from "../subject.ts";
import type { GrantedFile, GrantFacts, GrantSubject } from "./grant.ts";

/** Whether none of the paths is, holds or lies below one of the files, whose hashes were taken before the call. */
export function staysAsBound(files: readonly GrantedFile[], written: readonly string[]): boolean {
  return files.every(
    (file) => !written.some((path) => isInside(file.path, path) || isInside(path, file.path)),
  );
}

/**
 * Absolute paths that the call's own line may write before its last command starts: what is granted for one command
 * counts only while they leave its files alone. `undefined`: what is written is not known.
 */
export function writtenByLine(subject: GrantSubject, facts: GrantFacts): readonly string[] | undefined {
  const { resources, commands } = subject.decision.subject;
  // What the last program may write below its folder, it writes when it runs already.
  const last = new Set<ResourceFact>(commands.at(-1)?.resources);
  const written: string[] = [];
  for (const resource of [...resources, ...commands.flatMap((command) => command.resources)]) {
    if (resource.kind !== "path" || (resource.action !== "write" && resource.action !== "delete")) continue;
    if (resource.extent === "within" && last.has(resource)) continue;
    if (resource.value === undefined || resource.extent === "glob") return undefined;
    const path = facts.resolve(facts.resolve(subject.request.cwd, resource.base ?? "."), resource.value);
    written.push(path, facts.realPath(path) ?? path);
  }
  return written;
}
