import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, Decision, PartDecision, PolicyEngine } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { modelMessage, personMessage } from "../explain/messages.ts";
import { otherReadNames } from "../mapping/read-names.ts";
import { type MappedCall, mapCall } from "../mapping/subject.ts";
import { noFiles } from "../paths/fs.ts";
import { createResolver, type PathResolver } from "../paths/resolve.ts";
import type { Resource } from "../rules/compiled-match.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import { joinPath } from "../shell/folders.ts";
import type { CallSubject, CommandFact, ResourceFact } from "../subject.ts";
import { compileLayers } from "./compile.ts";
import { judgeBatch } from "./judge-batch.ts";
import { judgeCommand } from "./judge-command.ts";
import { type AllowedAlone, judgeDoubts } from "./judge-doubts.ts";
import { judgeLimits } from "./judge-limits.ts";
import { judgeResource, makeResource } from "./judge-resource.ts";
import { judgeBroken, judgeTool } from "./judge-tool.ts";
import type { EngineOptions } from "./options.ts";
import type { EffectiveMapping, EngineParts } from "./parts.ts";
import { strictest } from "./strictest.ts";
import { createInputCheck } from "./validate.ts";

const denyOnError = "engine.error";

/**
 * Makes the decision engine: deny before ask before allow over all layers, in any order; nothing matched: the
 * layers' fallback for the tool, else the annotations (contract A6, A7). Pure and total: the same request, history
 * and file system give the same decision, and an error inside is a deny (`engine.error`), never a throw.
 *
 * A policy file is JSON with comments; `policy.schema.json` describes it:
 *
 * ```jsonc
 * {
 *   "version": 1,
 *   "fallback": { "bash": "allow", "*": "ask" },
 *   "preset": { "git.force-push": { "effect": "deny" }, "secrets.read": false },
 *   "tools": { "exec_command": { "shell": { "argument": "cmd", "cwd": "workdir" } } },
 *   "trust": { "mcpServers": ["docs"] },
 *   "rules": [
 *     { "id": "no-rm", "effect": "deny", "command": { "program": "rm", "flags": { "any": "-r" } }, "match": "rm -rf x" },
 *     { "id": "env", "effect": "deny", "path": { "glob": ".env*", "action": "read" }, "except": { "path": ".env.example" } },
 *     { "id": "tests", "effect": "allow", "command": [{ "exact": "npm test" }, { "prefix": "npx vitest" }] },
 *     { "id": "docs", "effect": "allow", "tool": { "server": "docs", "name": "*" } },
 *     { "id": "budget", "effect": "ask", "tool": "bash", "limit": { "calls": 50, "per": "script" } }
 *   ]
 * }
 * ```
 */
export function createEngine(options: EngineOptions): PolicyEngine {
  const parts = compileLayers(options);
  const checkInput = createInputCheck();
  return {
    evaluate(request, history) {
      try {
        return evaluate(parts, checkInput, request, history);
      } catch (error) {
        // Fail closed: whatever went wrong in here, the call does not run.
        return failed(request, error);
      }
    },
  };
}

function evaluate(
  engine: EngineParts,
  checkInput: (request: CallRequest) => string | undefined,
  request: CallRequest,
  history: CallHistory | undefined,
): Decision {
  const mapping = engine.mapping(request.tool);
  const call = mapCall(request, mapping.mappings, (source, { cwd, shell }) =>
    readShell(engine, source, cwd, shell, history),
  );
  const subject: CallSubject = {
    request,
    resources: call.resources,
    commands: call.commands,
    doubts: call.doubts,
    rawWords: call.rawWords,
  };
  const invalid = call.invalid ?? checkInput(request);
  if (invalid !== undefined)
    return decide(
      request,
      [invalidPart(request, invalid)],
      subject,
      () => "call the tool again with arguments of the right type",
    );
  const parts = judge(engine, request, call, mapping, history);
  return decide(request, parts, subject, engine.instead);
}

function judge(
  engine: EngineParts,
  request: CallRequest,
  call: MappedCall,
  mapping: EffectiveMapping,
  history: CallHistory | undefined,
  depth = 0,
): readonly PartDecision[] {
  let made: PathResolver | undefined;
  const resolver = (): PathResolver => (made ??= resolverFor(engine, request));
  const tool = judgeTool(engine, request, mapping);
  const person = request.actor === "person";
  const otherwise = person ? personPart(request) : tool.otherwise;
  const parts: PartDecision[] = [...(person ? [] : judgeBroken(engine, request)), ...tool.against];
  const touched: Resource[] = [];
  // A shell's wildcard leaves hidden files out, until its options say otherwise.
  const hidden = call.rawWords.some((word) => word.includes("dotglob") || word.includes("GLOBIGNORE"));
  const env: (readonly string[])[] = [];
  for (const [index, command] of call.commands.entries()) {
    const resources = command.resources
      .flatMap((fact) => expandRefs(engine, command, fact))
      .map((fact) => makeResource(resolver, request, fact, { hidden }));
    touched.push(...resources);
    const judged = judgeCommand(engine, request, call.commands, index, resources, otherwise);
    parts.push(...judged.parts);
    env.push(judged.env);
  }
  for (const fact of call.own.flatMap((one) => [one, ...readInstead(engine, request, one)])) {
    const resource = makeResource(resolver, request, fact, { hidden: true });
    touched.push(resource);
    parts.push(
      ...judgeResource(engine, request, resource, undefined, { otherwise, exact: false, natural: true }),
    );
  }
  if (!person) {
    const alone: AllowedAlone = (line, cwd) => {
      if (depth > 0) return false;
      const facts = readShell(engine, line, cwd, "bash", history);
      const inner = judge(engine, request, { ...call, ...facts, own: [] }, mapping, undefined, depth + 1);
      return strictest(inner)?.effect === "allow";
    };
    parts.push(...judgeDoubts(engine, request, call, env, resolver, alone, otherwise));
    parts.push(...judgeBatch(request, touched, history, resolver));
  }
  parts.push(...judgeLimits(engine, request, call, history));
  // Where the parts are all that the tool does, they decide; else the tool itself is one more part.
  const decidedByParts = mapping.complete && touched.length + call.commands.length > 0;
  if (!decidedByParts || parts.length === 0) parts.push(otherwise);
  return parts;
}

/** Files that are read in place of one that does not exist: links among them lead anywhere. */
function readInstead(engine: EngineParts, request: CallRequest, fact: ResourceFact): readonly ResourceFact[] {
  const { fs, home, platform } = engine.options;
  if (fs === undefined || fact.kind !== "path" || fact.action !== "read" || fact.value === undefined)
    return [];
  const written = fact.value.replace(/^~(?=\/|$)/, home);
  const name = platform === "win32" ? written.replaceAll("\\", "/") : written;
  const others = otherReadNames(fact.base ?? request.cwd, name);
  const path = others.length === 0 ? undefined : joinPath(fact.base ?? request.cwd, name);
  if (path === undefined || fs.realpath(path) !== undefined) return [];
  return others.filter((path) => fs.realpath(path) !== undefined).map((value) => ({ ...fact, value }));
}

function readShell(
  engine: EngineParts,
  source: string,
  cwd: string,
  shell: string,
  history: CallHistory | undefined,
) {
  const { options, trust } = engine;
  // What another call does right now may take a folder away.
  const steady = history?.calls.every(({ state }) => state !== "approved") ?? true;
  return analyzeCommand(source, {
    shell,
    cwd,
    home: options.home,
    ...(options.platform === undefined ? {} : { platform: options.platform }),
    ...(options.env === undefined ? {} : { env: options.env }),
    wrappers: trust.wrappers ?? [],
    harmlessVariables: trust.env ?? [],
    protectedPids: options.hostPids ?? [],
    namesIn: (path) => (steady ? options.fs?.list(path)?.map(({ name }) => name) : undefined),
    isFolder: (path) => steady && options.fs?.list(path) !== undefined,
    isForbidden: (program) =>
      engine.commandRules.byProgram
        .get(program)
        ?.some(({ effect, layer }) => effect === "deny" && layer !== "built-in") === true,
  });
}

function resolverFor(engine: EngineParts, request: CallRequest): PathResolver {
  const { fs, home, cwd, platform } = engine.options;
  return createResolver(
    fs ?? noFiles,
    { platform: platform ?? "linux", home },
    cwd ?? request.cwd,
    engine.guarded,
  );
}

/** A push whose words do not say where it goes, looked up where the host can. */
function expandRefs(engine: EngineParts, command: CommandFact, fact: ResourceFact): readonly ResourceFact[] {
  const { refs } = engine.options;
  const folder = fact.base ?? command.cwd;
  // `--all` and a named refspec go elsewhere than a plain push.
  const plain =
    fact.kind === "ref" &&
    fact.local !== true &&
    fact.possible !== true &&
    fact.value === undefined &&
    fact.extent !== "tree" &&
    command.operands.length <= 1;
  if (!plain || refs === undefined || folder === undefined) return [fact];
  const targets = refs.pushTargets(folder, command.operands[0]?.value);
  return targets === undefined ? [fact] : targets.map((value) => ({ ...fact, value }));
}

function personPart(request: CallRequest): PartDecision {
  return {
    effect: "allow",
    rule: "default.person",
    layer: "built-in",
    matched: showText(request.tool.name),
    reason: "A person typed it; no rule binds the person",
  };
}

function invalidPart(request: CallRequest, message: string): PartDecision {
  return {
    effect: "deny",
    rule: "input.invalid",
    layer: "built-in",
    matched: showText(request.tool.name),
    reason: `The arguments are not what the tool takes: ${showText(message)}`,
  };
}

function decide(
  request: CallRequest,
  parts: readonly PartDecision[],
  subject: CallSubject,
  instead: EngineParts["instead"],
): Decision {
  const deciding = strictest(parts) ?? {
    effect: "ask" as const,
    rule: "default.unknown",
    layer: "built-in" as const,
    matched: showText(request.tool.name),
    reason: "Nothing is known about this call",
  };
  return {
    ...deciding,
    ...(parts.some((part) => part.effect === "ask" && part.personOnly === true) ? { personOnly: true } : {}),
    parts,
    modelMessage: modelMessage(deciding, instead(deciding)),
    personMessage: personMessage(showText(request.tool.name), deciding, parts),
    subject,
  };
}

function failed(request: CallRequest, error: unknown): Decision {
  const part: PartDecision = {
    effect: "deny",
    rule: denyOnError,
    layer: "built-in",
    matched: "the call",
    reason: `The policy engine failed: ${showText(error instanceof Error ? error.message : "unknown error")}`,
  };
  return {
    ...part,
    parts: [part],
    modelMessage: modelMessage(part, "tell the person that the policy engine failed"),
    personMessage: personMessage("a call", part, [part]),
    subject: { request, resources: [], commands: [], doubts: [], rawWords: [] },
  };
}
