import { isInside } from "../paths/normalize.ts";
import type { GrantedFile, GrantFacts, GrantSubject } from "./grant.ts";

/**
 * Whether the files that a grant is bound to stay what they are until the call runs them: neither the call's own line
 * nor a call that is still running (`changing`: absolute paths) may write one of them. Their hash was taken before.
 */
export function staySettled(
  files: readonly GrantedFile[],
  subject: GrantSubject,
  facts: GrantFacts,
  changing: readonly string[],
): boolean {
  if (files.length === 0) return true;
  const { resources, commands } = subject.decision.subject;
  const writes = [...changing];
  for (const resource of [...resources, ...commands.flatMap((command) => command.resources)]) {
    if (resource.kind !== "path" || (resource.action !== "write" && resource.action !== "delete")) continue;
    // What is written is not known, or is a pattern: any file may be meant.
    if (resource.value === undefined || resource.extent === "glob") return false;
    const path = facts.resolve(facts.resolve(subject.request.cwd, resource.base ?? "."), resource.value);
    writes.push(path, facts.realPath(path) ?? path);
  }
  return files.every(
    (file) => !writes.some((path) => isInside(file.path, path) || isInside(path, file.path)),
  );
}
