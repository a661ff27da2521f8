import type { CallRequest } from "@nestbox/tool";

import type { Decision } from "../decision.ts";
import type { GrantFacts } from "./grant.ts";

/** The folder, the paths and the files of a call as they really are now; two equal texts mean nothing has moved. */
export function bindingText(request: CallRequest, facts: GrantFacts, decision: Decision): string {
  const parts: string[] = [`cwd ${facts.realPath(request.cwd) ?? "?"}`];
  const { resources, commands } = decision.subject;
  for (const resource of [...resources, ...commands.flatMap((command) => command.resources)]) {
    if (resource.kind !== "path" || resource.value === undefined) continue;
    const path = facts.resolve(facts.resolve(request.cwd, resource.base ?? "."), resource.value);
    const real = facts.realPath(path) ?? path;
    parts.push(
      `${resource.action} ${real}${resource.action === "execute" ? ` ${facts.hashFile(real) ?? "?"}` : ""}`,
    );
  }
  for (const command of commands) {
    const program = command.argv[0].value;
    if (program?.includes("/") !== true) continue;
    const path = facts.resolve(facts.resolve(request.cwd, command.cwd ?? "."), program);
    const real = facts.realPath(path) ?? path;
    parts.push(`program ${real} ${facts.hashFile(real) ?? "?"}`);
  }
  return parts.join("\n");
}
