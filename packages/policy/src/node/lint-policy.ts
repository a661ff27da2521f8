import type { CommandMatch, PolicyLayer, Rule } from "../rules/types.ts";

export interface LintFinding {
  readonly layer: string;
  readonly file?: string;
  /** Id of the rule, where one is meant. */
  readonly rule?: string;
  readonly kind:
    | "no-example"
    | "no-reason"
    | "broad-allow"
    | "interpreter"
    | "fallback-allow"
    | "no-effect"
    | "same-as"
    | "shadowed"
    | "broken";
  readonly message: string;
}

/** Programs that run whatever their arguments say: allowing them allows everything. */
const INTERPRETERS: ReadonlySet<string> = new Set([
  "bash", "sh", "dash", "zsh", "fish", "node", "deno", "bun", "python", "python3", "ruby", "perl", "php", "lua",
  "osascript", "pwsh", "powershell", "env", "xargs", "sudo", "doas", "ssh", "npx", "eval", "find", "make", "awk",
]); // prettier-ignore

const SHELL_TOOLS: ReadonlySet<string> = new Set(["bash", "powershell", "*"]);

/** What a careful reader would ask about a policy that loads: not wrong, but rarely meant. */
export function lintPolicy(layers: readonly PolicyLayer[]): readonly LintFinding[] {
  const findings: LintFinding[] = [];
  const mayLoosen = layers.some(
    (layer) =>
      layer.ok &&
      (layer.name === "user" || layer.name === "managed") &&
      layer.policy.projectMayLoosen === true,
  );
  const seen = new Map<string, { readonly effect: string; readonly id: string; readonly layer: string }>();
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
    for (const [tool, effect] of Object.entries(layer.policy.fallback)) {
      if (effect === "allow" && SHELL_TOOLS.has(tool)) {
        findings.push({
          ...where,
          kind: "fallback-allow",
          message: `every call of ${tool} that no rule names is allowed`,
        });
      }
    }
    for (const rule of layer.policy.rules) {
      const add = (kind: LintFinding["kind"], message: string): void => {
        findings.push({ ...where, rule: rule.id, kind, message });
      };
      lintRule(rule, add);
      if (layer.name === "project" && rule.effect === "allow" && !mayLoosen) {
        add(
          "no-effect",
          "a project's allow counts only when the user or managed layer sets projectMayLoosen",
        );
      }
      const subject = subjectOf(rule);
      const twin = seen.get(subject);
      if (twin === undefined) seen.set(subject, { effect: rule.effect, id: rule.id, layer: layer.name });
      else if (twin.effect === rule.effect) add("same-as", `says what ${twin.id} (${twin.layer}) says`);
      else
        add(
          "shadowed",
          `${twin.id} (${twin.layer}) says ${twin.effect} about the same; the stricter one counts`,
        );
    }
  }
  return findings;
}

function lintRule(rule: Rule, add: (kind: LintFinding["kind"], message: string) => void): void {
  const testable = rule.command !== undefined || rule.path !== undefined || rule.ref !== undefined;
  if (testable && rule.match === undefined)
    add("no-example", "no match example shows that it does what it should");
  if (rule.effect !== "allow" && rule.reason === undefined)
    add("no-reason", "the model and the person are told no reason");
  if (rule.effect !== "allow") return;
  for (const command of rule.command ?? []) {
    const program = programOf(command);
    if (program === "*") add("broad-allow", "it allows every program");
    else if (program !== undefined && INTERPRETERS.has(program) && isOpen(command)) {
      add("interpreter", `${program} runs whatever its arguments say`);
    }
  }
  if (
    rule.tool?.some((tool) => tool.name === "*" || (tool.server === "*" && tool.name === undefined)) === true
  ) {
    add("broad-allow", "it allows tools that nobody has named");
  }
  if (rule.path?.glob?.some((glob) => glob === "/**" || glob === "~/**") === true) {
    add("broad-allow", "it allows a whole file system or home");
  }
}

function programOf(command: CommandMatch): string | undefined {
  if ("exact" in command) return command.exact[0];
  if ("prefix" in command) return command.prefix[0];
  return command.program.includes("*") ? "*" : command.program.find((program) => INTERPRETERS.has(program));
}

/** Anything may follow the program. */
function isOpen(command: CommandMatch): boolean {
  if ("exact" in command) return false;
  if ("prefix" in command) return command.prefix.length === 1;
  return (
    command.readOnly !== true &&
    command.subcommand === undefined &&
    command.flags?.only === undefined &&
    command.operands === undefined &&
    command.regex === undefined
  );
}

function subjectOf(rule: Rule): string {
  const {
    id: _id,
    effect: _effect,
    reason: _reason,
    instead: _instead,
    match: _match,
    notMatch: _notMatch,
    ...subject
  } = rule;
  return JSON.stringify(subject);
}
