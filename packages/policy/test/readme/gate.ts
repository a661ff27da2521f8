import { createGate } from "@nestbox/policy";
import { openAuditLog, openGrants, openPolicy } from "@nestbox/policy/node";

/** One gate for a host of your own: real files, remembered answers, a record. */
export function openGate(folder: string, project: string) {
  const files = [
    { path: `${folder}/policy.jsonc`, layer: "user" },
    { path: `${project}/.pi/policy.jsonc`, layer: "project" },
  ] as const;
  const own = { grants: `${folder}/grants.json`, audit: `${folder}/audit` };
  const policy = openPolicy({ files, home: folder, cwd: project, protectedPaths: Object.values(own) });
  return createGate({
    engine: policy.engine,
    facts: policy.facts,
    grants: openGrants({ path: own.grants }),
    audit: openAuditLog({ dir: own.audit, session: "my-session" }),
    // No approver: what needs approval is denied, with a reason that says so.
  });
}
