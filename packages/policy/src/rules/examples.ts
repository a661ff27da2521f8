import type { CallRequest } from "@nestbox/tool";

import { askRule } from "../engine/ask-rule.ts";
import { compileMappings } from "../engine/mappings.ts";
import type { CompiledRule } from "../engine/parts.ts";
import { mapCall } from "../mapping/subject.ts";
import { noFiles } from "../paths/fs.ts";
import { createResolver, type PathResolver } from "../paths/resolve.ts";
import { pathSubject } from "../paths/subject.ts";
import { analyzeCommand } from "../shell/analyze.ts";
import type { CommandFact, ResourceFact } from "../subject.ts";
import type { Part, Resource } from "./compiled-match.ts";
import { type Example, type Policy, ruleKind } from "./types.ts";

/** Where examples are tried: the same imagined machine for everybody, on which no file exists. */
export interface ExampleWorld {
  readonly policy: Policy;
  readonly platform: "linux" | "darwin" | "win32";
}

/** Whether a rule matches an example: for an allow, all of it; for a deny or ask, any part of it. */
export function exampleMatches(rule: CompiledRule, example: Example, world: ExampleWorld): boolean {
  const windows = world.platform === "win32";
  const cwd = windows ? "C:/project" : "/project";
  const home = windows ? "C:/Users/someone" : "/home/someone";
  const request = requestOf(rule, example, cwd);
  const parts = partsOf(
    rule,
    example,
    request,
    world,
    createResolver(noFiles, { platform: world.platform, home }, cwd),
    home,
  );
  if (parts === undefined || parts.length === 0) return false;
  const holds = (part: Part): boolean => askRule(rule, part, () => "")?.effect === rule.effect;
  return rule.effect === "allow" ? parts.every(holds) : parts.some(holds);
}

function requestOf(rule: CompiledRule, example: Example, cwd: string): CallRequest {
  const plain = typeof example === "string" ? undefined : example;
  const kind = ruleKind(rule.rule);
  const name =
    plain?.tool ??
    (typeof example === "string" && (kind === "tool" || kind === "limit")
      ? example
      : (rule.rule.tool?.[0]?.name ?? "bash"));
  const server = plain?.server;
  return {
    callId: "example",
    chain: (plain?.calledBy ?? rule.rule.calledBy ?? []).map((toolName, index) => ({
      callId: `caller-${index}`,
      toolName,
    })),
    tool: { name, source: server === undefined ? { kind: "builtin" } : { kind: "mcp", server } },
    input: plain?.input ?? {},
    cwd,
    actor: rule.rule.actor === "person" ? "person" : "agent",
  };
}

/** The parts of an example that a rule of this kind decides; `undefined` when it cannot be read without doubt. */
function partsOf(
  rule: CompiledRule,
  example: Example,
  request: CallRequest,
  world: ExampleWorld,
  resolver: PathResolver,
  home: string,
): readonly Part[] | undefined {
  const kind = ruleKind(rule.rule);
  if (kind === "tool" || kind === "limit") return [{ request, resources: [] }];
  const resource = (fact: ResourceFact): Resource => ({
    fact,
    path: fact.kind === "path" ? pathSubject(resolver, fact, request.cwd) : undefined,
  });
  if (typeof example === "string" && kind === "path") {
    return [
      {
        request,
        resources: [
          resource({
            action: rule.rule.path?.action?.[0] ?? "read",
            kind: "path",
            value: example,
            base: request.cwd,
            origin: "example",
          }),
        ],
      },
    ];
  }
  if (typeof example === "string" && (kind === "host" || (kind === "ref" && !/\s/.test(example)))) {
    const fact: ResourceFact = {
      action: kind === "host" ? "network" : "write",
      kind,
      value: example,
      ...(rule.rule.ref?.force === true ? { force: true } : {}),
      origin: "example",
    };
    return [{ request, resources: [resource(fact)] }];
  }
  const call =
    typeof example === "string"
      ? shellCall(example, request, home)
      : mapCall(
          request,
          compileMappings([{ ok: true, name: "user", policy: world.policy }], () => true)(request.tool)
            .mappings,
          (source, { cwd, shell }) => analyzeCommand(source, { cwd, shell, home }),
        );
  if (rule.effect === "allow" && call.doubts.length > 0) return undefined;
  const commandPart = (command: CommandFact): Part => ({
    request,
    command,
    resources: command.resources.map(resource),
  });
  if (kind === "command") return call.commands.map(commandPart);
  const held = call.commands.flatMap((command) =>
    command.resources.map((fact): Part => ({ request, command, resources: [resource(fact)] })),
  );
  return [...held, ...call.own.map((fact): Part => ({ request, resources: [resource(fact)] }))].filter(
    ({ resources }) => resources[0]?.fact.kind === kind,
  );
}

function shellCall(source: string, request: CallRequest, home: string) {
  return mapCall(
    { ...request, input: { command: source } },
    [{ shell: { argument: "command" } }],
    (text, { cwd, shell }) => analyzeCommand(text, { cwd, shell, home }),
  );
}
