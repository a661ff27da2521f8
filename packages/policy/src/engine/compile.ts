import type { LayerName, PartDecision } from "../decision.ts";
import { hostRules, leashRules, type PresetRule, presetDefaults, presetRules } from "../preset/rules.ts";
import { compileMatch, type MatchWorld } from "../rules/compiled-match.ts";
import type { PolicyLayer, PresetChange, Rule, Trust } from "../rules/types.ts";
import { subjectProblem } from "../rules/subject-problem.ts";
import { ruleKind } from "../rules/types.ts";
import { effectWeight } from "./strictest.ts";
import { compileFallbacks } from "./fallback.ts";
import { compileMappings } from "./mappings.ts";
import type { EngineOptions } from "./options.ts";
import type { CommandRules, CompiledDefault, CompiledRule, EngineParts } from "./parts.ts";

type LoadedLayer = Extract<PolicyLayer, { ok: true }>;
type BrokenLayer = Extract<PolicyLayer, { ok: false }>;

/** Makes all layers ready: matchers compiled, rules by kind, what a project may not loosen left out. */
export function compileLayers(options: EngineOptions): EngineParts {
  const broken: BrokenLayer[] = options.layers.filter((layer) => !layer.ok);
  const loaded: LoadedLayer[] = [];
  const rules: CompiledRule[] = [];
  const stated = options.layers.filter((layer) => layer.ok);
  const projectMayLoosen = mayLoosen(stated);
  const counts = (layer: LoadedLayer): boolean => layer.name !== "project" || projectMayLoosen;
  const trust = uniteTrust([
    ...(options.trust === undefined ? [] : [options.trust]),
    ...stated.filter(counts).map((layer) => layer.policy.trust),
  ]);
  const programFolders = trust.programFolders ?? [];
  for (const layer of stated) {
    try {
      const own = layer.policy.rules.filter((rule) => rule.effect !== "allow" || counts(layer));
      rules.push(...own.map((rule) => compileRule(rule, layer.name, { programFolders, trust, soft: false })));
      loaded.push(layer);
    } catch (error) {
      // A layer that was not checked when it loaded: strict, like one that did not load.
      const message = error instanceof Error ? error.message : "it could not be compiled";
      broken.push({
        ok: false,
        name: layer.name,
        problems: [{ file: layer.file ?? layer.name, line: 1, column: 1, message }],
      });
    }
  }
  const changes = presetChanges(loaded);
  const world: MatchWorld = { programFolders, trust, soft: true };
  const agentDir = options.env?.["PI_CODING_AGENT_DIR"];
  const host = hostRules(options.hostPids ?? []);
  const guarded = [
    ...(options.protectedPaths ?? []),
    ...(agentDir === undefined || agentDir === "" ? [] : [agentDir, `${agentDir}/extensions`]),
  ];
  const leash = leashRules(guarded.map((path) => escapeGlob(path, options.platform)));
  const builtIn = [...presetRules, ...host, ...leash].flatMap((entry) =>
    compilePreset(entry, changes, world),
  );
  const all = [...rules, ...builtIn.map(({ rule }) => rule)];
  const ways = new Map(all.map(({ layer, id, rule }) => [`${layer}\0${id}`, rule.instead] as const));
  const ofKind = (kind: ReturnType<typeof ruleKind>): readonly CompiledRule[] =>
    all.filter(({ rule }) => ruleKind(rule) === kind);
  return {
    options,
    toolRules: ofKind("tool"),
    commandRules: indexCommands(ofKind("command")),
    pathRules: ofKind("path"),
    hostRules: ofKind("host"),
    refRules: ofKind("ref"),
    limitRules: ofKind("limit"),
    defaults: {
      external: compileDefault(presetDefaults.external, changes, world),
      unknown: compileDefault(presetDefaults.unknown, changes, world),
      write: compileDefault(presetDefaults.write, changes, world),
    },
    fallback: compileFallbacks(loaded, projectMayLoosen),
    mapping: compileMappings(loaded, counts),
    trust,
    broken,
    guarded: guarded.map((path) => (path.startsWith("~/") ? `${options.home}/${path.slice(2)}` : path)),
    instead: (part: PartDecision) => ways.get(`${part.layer}\0${part.rule}`),
  };
}

/** Compiles one rule. Throws a `TypeError` that says what is wrong with it. */
export function compileRule(rule: Rule, layer: LayerName, world: MatchWorld): CompiledRule {
  const fail = (message: string): void => {
    throw new TypeError(`rule ${rule.id}: ${message}`);
  };
  const odd = subjectProblem(rule);
  if (odd !== undefined) fail(odd);
  return {
    rule,
    id: rule.id,
    effect: rule.effect,
    layer,
    reason: rule.reason ?? `The rule ${rule.id} says so`,
    match: compileMatch(rule, world, fail),
    excepts: (rule.except ?? []).map((except) => compileMatch({ actor: "any", ...except }, world, fail)),
  };
}

interface LayerChange {
  readonly layer: LayerName;
  readonly change: PresetChange;
}

/** What the managed and the user layers change of the preset, the managed layer's word first. */
function presetChanges(layers: readonly LoadedLayer[]): ReadonlyMap<string, readonly LayerChange[]> {
  const changes = new Map<string, LayerChange[]>();
  for (const name of ["managed", "user"] as const) {
    for (const layer of layers.filter((one) => one.name === name)) {
      for (const [id, change] of Object.entries(layer.policy.preset))
        changes.set(id, [...(changes.get(id) ?? []), { layer: name, change }]);
    }
  }
  return changes;
}

function compilePreset(
  entry: PresetRule,
  changes: ReadonlyMap<string, readonly LayerChange[]>,
  world: MatchWorld,
): readonly { readonly rule: CompiledRule }[] {
  const own = entry.fixed === true ? [] : (changes.get(entry.rule.id) ?? []);
  const changed = applyChanges(entry.rule.effect, own);
  if (changed === undefined) return [];
  const rule: Rule = {
    ...entry.rule,
    effect: changed.effect,
    except: [...(entry.rule.except ?? []), ...changed.except],
  };
  return [{ rule: compileRule(rule, "built-in", world) }];
}

function compileDefault(
  entry: (typeof presetDefaults)[keyof typeof presetDefaults],
  changes: ReadonlyMap<string, readonly LayerChange[]>,
  world: MatchWorld,
): CompiledDefault {
  const changed = applyChanges(entry.effect, changes.get(entry.id) ?? []);
  const excepts = (changed?.except ?? []).map((except) =>
    compileMatch({ actor: "any", ...except }, world, (message) => {
      throw new TypeError(`preset ${entry.id}: ${message}`);
    }),
  );
  return {
    id: entry.id,
    effect: changed?.effect ?? "allow",
    layer: "built-in",
    reason: entry.reason,
    excepts,
  };
}

/** The first layer that names an effect decides it; exceptions of all layers count. `undefined`: switched off. */
function applyChanges(effect: Rule["effect"], changes: readonly LayerChange[]) {
  const first = changes.find(({ change }) => change === false || change.effect !== undefined)?.change;
  if (first === false) return undefined;
  const stated = first?.effect ?? effect;
  // What the managed layer has said, the user's layer may still make stricter.
  const stricter = changes
    .flatMap(({ change }) => (change === false || change.effect === undefined ? [] : [change.effect]))
    .filter((one) => effectWeight(one) > effectWeight(stated));
  return {
    effect: stricter[0] ?? stated,
    except: changes.flatMap(({ change }) => (change === false ? [] : (change.except ?? []))),
  };
}

function indexCommands(rules: readonly CompiledRule[]): CommandRules {
  const byProgram = new Map<string, CompiledRule[]>();
  const open: CompiledRule[] = [];
  for (const rule of rules) {
    const tests = rule.match.commands ?? [];
    if (tests.some(({ programs }) => programs === undefined)) {
      open.push(rule);
      continue;
    }
    for (const program of new Set(tests.flatMap(({ programs }) => programs ?? []))) {
      const key = program.toLowerCase();
      byProgram.set(key, [...(byProgram.get(key) ?? []), rule]);
    }
  }
  return { byProgram, open };
}

/** The managed layer's word, else the user's. */
function mayLoosen(layers: readonly LoadedLayer[]): boolean {
  for (const name of ["managed", "user"] as const) {
    const said = layers.filter((layer) => layer.name === name).map((layer) => layer.policy.projectMayLoosen);
    if (said.includes(false)) return false;
    if (said.includes(true)) return true;
  }
  return false;
}

function uniteTrust(all: readonly Trust[]): Trust {
  const unite = (key: "mcpServers" | "env" | "programFolders" | "wrappers"): readonly string[] => [
    ...new Set(all.flatMap((trust) => trust[key] ?? [])),
  ];
  return {
    mcpServers: unite("mcpServers"),
    annotations: all.every((trust) => trust.annotations !== false),
    env: unite("env"),
    programFolders: unite("programFolders"),
    wrappers: unite("wrappers"),
  };
}

function escapeGlob(path: string, platform: EngineOptions["platform"]): string {
  // A backslash separates folders on Windows, so there a set of one character escapes.
  if (platform === "win32") return path.replaceAll("\\", "/").replace(/\[/g, "[[]");
  return path.replace(/[*?[\]{}\\]/g, "\\$&");
}
