import { lintPolicy as lintOne } from "../rules/lint.ts";
import type { PolicyLayer, Rule } from "../rules/types.ts";

export interface LintFinding {
  readonly layer: string;
  readonly file?: string;
  /** Id of the rule, where one is meant. */
  readonly rule?: string;
  /** Name of the check; `broken` for a file that was refused, `other-layer` for what only several files show. */
  readonly kind: string;
  readonly message: string;
}

/** What a careful reader would ask about the policies together: not wrong, but rarely meant. */
export function lintPolicy(layers: readonly PolicyLayer[]): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const loosen = layers.some(
    (layer) => layer.ok && layer.name !== "project" && layer.policy.projectMayLoosen === true,
  );
  const seen = new Map<string, { readonly rule: Rule; readonly layer: PolicyLayer }>();
  for (const layer of layers) {
    const where = { layer: layer.name, ...(layer.file === undefined ? {} : { file: layer.file }) };
    if (!layer.ok) {
      findings.push({
        ...where,
        kind: "broken",
        message: layer.problems[0]?.message ?? "the file was refused",
      });
      continue;
    }
    for (const { check, rule, message } of lintOne(layer.policy, layer.name)) {
      if (check === "project-allow" && loosen) continue;
      findings.push({ ...where, ...(rule === undefined ? {} : { rule }), kind: check, message });
    }
    for (const rule of layer.policy.rules) {
      const subject = subjectOf(rule);
      const twin = seen.get(subject);
      if (twin === undefined) seen.set(subject, { rule, layer });
      else if (twin.layer !== layer) {
        const message = `${twin.rule.id} (${twin.layer.name}) looks at the same and says ${twin.rule.effect}; the stricter one counts`;
        findings.push({ ...where, rule: rule.id, kind: "other-layer", message });
      }
    }
  }
  return findings;
}

function subjectOf({
  tool,
  calledBy,
  actor,
  input,
  command,
  path,
  host,
  ref,
  limit,
  loop,
  except,
}: Rule): string {
  return JSON.stringify([tool, calledBy, actor, input, command, path, host, ref, limit, loop, except]);
}
