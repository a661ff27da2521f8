import { getNodeValue, type Node } from "jsonc-parser";
import type { CallRequest } from "@nestbox/tool";

import type { ResourceAction } from "../subject.ts";
import type { Shape } from "./shape.ts";
import { checked, count, either, flag, list, object, oneOf, oneOrMore, record, text } from "./shape.ts";
import type {
  CommandMatch,
  Example,
  PathMatch,
  Policy,
  PresetChange,
  Rule,
  RuleMatch,
  TextMatch,
  ToolMatch,
} from "./types.ts";
import { programFolderProblem, trustedVariableProblem, wrapperProblem } from "./trust-problem.ts";
import { splitWords } from "./words.ts";

const actions: readonly ResourceAction[] = ["read", "write", "delete", "execute", "network"];
const effectShape = oneOf(
  ["allow", "ask", "deny"],
  "What happens: allow, ask or deny. The strictest over all layers wins.",
);
const isText = (node: Node): boolean => node.type === "string";

/** A shape that stands in the schema once, under `$defs`, and is referred to. */
function define<T>(name: string, shape: Shape<T>): Shape<T> {
  return { schema: { $ref: `#/$defs/${name}` }, read: (node, context) => shape.read(node, context) };
}

const effect = define("effect", effectShape);

/** A wildcard or name, or a list of them. */
const names = (description: string) => oneOrMore(text(), description);

const input: Shape<CallRequest["input"]> = {
  schema: { type: "object", description: "Arguments of the call." },
  read(node, context) {
    if (node.type !== "object") {
      context.problem(node, "expected an object");
      return undefined;
    }
    // The tree was read from JSON, so its value is plain JSON.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return getNodeValue(node) as CallRequest["input"];
  },
};

const annotations = object({
  readOnlyHint: flag(),
  destructiveHint: flag(),
  idempotentHint: flag(),
  openWorldHint: flag(),
});

const toolObject: Shape<ToolMatch> = object(
  {
    name: text({ description: "Name or wildcard." }),
    source: oneOf(["builtin", "extension", "module", "sdk", "mcp"], "Where the tool comes from."),
    server: text({ description: "Identity of the MCP server; * is any." }),
    namespace: text(),
    exposure: oneOf(["direct", "model-only", "codemode", "deferred", "hidden"]),
    annotations,
  },
  {
    check: (keys) =>
      keys.length === 0
        ? "says nothing: name a tool, a source, a server, a namespace or an exposure"
        : undefined,
  },
);

const toolShape: Shape<ToolMatch> = mapShape(
  either({ when: isText, shape: text({ description: "Name or wildcard." }) }, toolObject),
  (value) => (typeof value === "string" ? { name: value } : value),
);

const toolMatch = define("tool", toolShape);

const words: Shape<readonly string[]> = {
  schema: {
    anyOf: [
      { type: "string", minLength: 1 },
      { type: "array", items: { type: "string" }, minItems: 1 },
    ],
    description:
      "The words of a command: a list, or a text with spaces between them and quotes around those that hold spaces.",
  },
  read(node, context) {
    const raw: unknown = node.value;
    if (node.type === "string" && typeof raw === "string") {
      const split = splitWords(raw);
      if (split === undefined)
        context.problem(node, "not the words of one command: an open quote, an operator or nothing at all");
      return split;
    }
    return wordList.read(node, context);
  },
};
const wordList = list<string>({
  schema: { type: "string" },
  read(node, context) {
    const raw: unknown = node.value;
    if (typeof raw === "string") return raw;
    context.problem(node, "expected a text");
    return undefined;
  },
});

const env = list(text(), { description: "Environment variables that may be set in front of it." });

const exactCommand = object(
  { exact: words, env },
  { required: ["exact"], description: "Exactly these words." },
);
const prefixCommand = object(
  { prefix: words, env },
  { required: ["prefix"], description: "These words first, each whole." },
);
const predicateCommand = object(
  {
    program: names("Names of programs, or *."),
    subcommand: oneOrMore(text(), "First subcommand words or operands, each a name or wildcard."),
    flags: object(
      {
        any: names("At least one of these."),
        all: names("Every one."),
        none: names("None of these."),
        only: list(text(), { min: 0, description: "No other than these." }),
      },
      { check: (keys) => (keys.length === 0 ? "says nothing: any, all, none or only" : undefined) },
    ),
    operands: object({ min: count(0, 1_000), max: count(0, 1_000), like: names("Wildcards.") }),
    readOnly: flag("The command has no effect but reading."),
    regex: text({ description: "RE2 expression over the words, joined with one space." }),
    env,
  },
  { required: ["program"], description: "Statements about the parsed command." },
);

const commandShape: Shape<CommandMatch> = {
  schema: { anyOf: [exactCommand.schema, prefixCommand.schema, predicateCommand.schema] },
  read(node, context) {
    const kinds = (["exact", "prefix", "program"] as const).filter((key) =>
      node.children?.some((child) => child.children?.[0]?.value === key),
    );
    if (kinds.length !== 1) {
      context.problem(
        node,
        `a command is one of exact, prefix or program; here: ${kinds.length === 0 ? "none" : kinds.join(" and ")}`,
      );
      return undefined;
    }
    if (kinds[0] === "exact") return exactCommand.read(node, context);
    if (kinds[0] === "prefix") return prefixCommand.read(node, context);
    return predicateCommand.read(node, context);
  },
};

const commandMatch = define("command", commandShape);

const pathObject = object(
  {
    glob: names(
      "Glob patterns: a name at any depth, dir/** below the working folder, ~/x below the home, /x absolute.",
    ),
    outside: flag("Everything outside the working folder (true) or inside it (false)."),
    action: oneOrMore(oneOf(actions), "What is done to the path; absent: anything."),
  },
  {
    check: (keys) =>
      keys.length > 0 ? undefined : "a path needs glob or outside, or an action for every path",
  },
);
const pathShape: Shape<PathMatch> = mapShape(
  either(
    { when: (node) => node.type === "string" || node.type === "array", shape: names("Glob patterns.") },
    pathObject,
  ),
  (value): PathMatch => (isList(value) ? { glob: value } : value),
);

const pathMatch = define("path", pathShape);

const scalar: Shape<string | number | boolean | null> = {
  schema: { type: ["string", "number", "boolean", "null"] },
  read(node, context) {
    const raw: unknown = node.value;
    if (raw === null || typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean")
      return raw;
    context.problem(node, "expected a text, a number, true, false or null");
    return undefined;
  },
};
// `null` is a value here, so it cannot be told from "no value" by ?? in the reader of objects.
const textMatch: Shape<TextMatch> = {
  schema: {
    anyOf: [
      { type: ["string", "number", "boolean", "null"] },
      {
        type: "object",
        properties: { like: { type: "string" } },
        required: ["like"],
        additionalProperties: false,
      },
      {
        type: "object",
        properties: { regex: { type: "string" } },
        required: ["regex"],
        additionalProperties: false,
      },
    ],
    description: "A value, { like: wildcard } or { regex: RE2 expression }.",
  },
  read(node, context) {
    if (node.type !== "object") {
      const value = scalar.read(node, context);
      return value === undefined ? undefined : { equals: value };
    }
    const read = likeOrRegex.read(node, context);
    if (read?.like !== undefined) return { like: read.like };
    return read?.regex === undefined ? undefined : { regex: read.regex };
  },
};
const likeOrRegex = object(
  { like: text(), regex: text() },
  { check: (keys) => (keys.length === 1 ? undefined : "needs exactly one of like and regex") },
);

const matchFields = {
  tool: oneOrMore(toolMatch, "One of these tools."),
  calledBy: names("Called, directly or through others, by a tool of one of these names."),
  actor: oneOf(
    ["agent", "person", "any"],
    "Who calls. Absent: the agent; a command that a person types is not judged.",
  ),
  input: record(textMatch, "Arguments of the call."),
  command: oneOrMore(commandMatch, "One of these commands."),
  path: pathMatch,
  host: names("Host names or wildcards."),
  ref: object({ name: names("Git refs without refs/heads/."), force: flag() }),
};
const subjects = Object.keys(matchFields);

const matchShape: Shape<RuleMatch> = object(matchFields, {
  check: (keys) => (keys.length === 0 ? `says nothing: name one of ${subjects.join(", ")}` : undefined),
});

const ruleMatch = define("match", matchShape);

const exampleShape: Shape<Example> = either(
  { when: isText, shape: text({ max: 65_536 }) },
  object(
    { tool: text(), input, server: text(), calledBy: list(text()), action: oneOf(actions) },
    { required: ["tool"] },
  ),
);

const example = define("example", exampleShape);

const limit = object(
  {
    calls: count(0, 1_000_000),
    prompts: count(0, 1_000_000),
    per: oneOf(["tool", "chain", "script", "session"], "What is counted."),
  },
  {
    required: ["per"],
    check: (keys) =>
      keys.includes("calls") || keys.includes("prompts") ? undefined : "needs calls or prompts",
  },
);
const loop = object(
  { identical: count(2, 1_000), cycles: count(2, 1_000) },
  { check: (keys) => (keys.length === 0 ? "needs identical or cycles" : undefined) },
);

const ruleShape: Shape<Rule> = object(
  {
    id: text({ pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, description: "Unique in its file." }),
    effect,
    ...matchFields,
    limit,
    loop,
    except: oneOrMore(ruleMatch, "What the rule leaves out."),
    reason: text({ description: "Why, in one sentence." }),
    instead: text({ description: "One way out, for the model." }),
    personOnly: flag("No grant and no mode answers this ask without a person."),
    match: oneOrMore(example, "Examples that the rule must match; checked when the file loads."),
    notMatch: oneOrMore(example, "Examples that it must not match."),
  },
  {
    required: ["id", "effect"],
    check(keys) {
      if (!keys.some((key) => subjects.includes(key) || key === "limit" || key === "loop")) {
        return `the rule says nothing: name one of ${subjects.join(", ")}, limit, loop`;
      }
      return keys.includes("limit") && keys.includes("loop") ? "limit and loop are two rules" : undefined;
    },
  },
);

const rule = define("rule", ruleShape);

const mapping = object({
  server: text({ description: "The MCP server that the tool belongs to." }),
  shell: object(
    {
      argument: text(),
      cwd: text(),
      language: text({ description: "bash, sh, powershell, …; default bash." }),
    },
    { required: ["argument"] },
  ),
  paths: list(
    object(
      { argument: text(), action: oneOf(actions), tree: flag(), glob: text(), default: text() },
      { required: ["argument", "action"] },
    ),
  ),
  patch: object({ argument: text() }, { required: ["argument"] }),
  hosts: list(text()),
  transparent: flag("The tool itself does nothing; each call it makes is judged."),
  complete: flag("The mapping names every effect of the tool. Default true."),
  annotations,
});

const no: Shape<false> = oneOf([false]);
const presetChange: Shape<PresetChange> = {
  schema: {
    anyOf: [
      no.schema,
      {
        type: "object",
        properties: {
          effect: effect.schema,
          except: { anyOf: [ruleMatch.schema, { type: "array", items: ruleMatch.schema, minItems: 1 }] },
        },
        additionalProperties: false,
      },
    ],
  },
  read: (node, context) =>
    node.type === "object" ? presetObject.read(node, context) : no.read(node, context),
};
const presetObject = object(
  { effect, except: oneOrMore(ruleMatch) },
  { check: (keys) => (keys.length === 0 ? "changes nothing: false, effect or except" : undefined) },
);

const file = object(
  {
    $schema: text(),
    version: oneOf([1], undefined, (shown) => `version ${shown} is not known; this reads version 1`),
    fallback: record(
      effect,
      "What happens to a call of a tool when no rule matches, by tool name or wildcard.",
    ),
    preset: record(
      presetChange,
      "Built-in rules by id: false switches one off, an object changes it. Managed and user layer only.",
    ),
    projectMayLoosen: flag("Whether allows of the project layer count. Managed and user layer only."),
    tools: record(mapping, "What the arguments of tools mean, by tool name."),
    trust: object({
      mcpServers: list(text(), { min: 0, description: "MCP servers whose annotations count." }),
      annotations: flag("Whether annotations of extensions, modules and SDK tools count. Default true."),
      env: list(checked(text(), trustedVariableProblem), {
        min: 0,
        description: "Environment variables that may be set in front of an allowed command.",
      }),
      programFolders: list(checked(text(), programFolderProblem), {
        min: 0,
        description: "Folders whose programs are what their names say.",
      }),
      wrappers: list(checked(text(), wrapperProblem), {
        min: 0,
        description: "Programs that run the rest of their words as a command.",
      }),
    }),
    rules: list(rule, { min: 0 }),
  },
  { required: ["version"] },
);

/** Reads a policy file's tree. */
export const policyShape: Shape<Policy> = mapShape(file, (value) => ({
  version: 1,
  fallback: value.fallback ?? {},
  preset: value.preset ?? {},
  ...(value.projectMayLoosen === undefined ? {} : { projectMayLoosen: value.projectMayLoosen }),
  tools: value.tools ?? {},
  trust: value.trust ?? {},
  rules: value.rules ?? [],
}));

/** The JSON Schema that is published as `policy.schema.json`. */
export const policySchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Nestbox policy",
  description: "Rules that decide tool calls: deny before ask before allow, over all layers.",
  ...file.schema,
  $defs: {
    effect: effectShape.schema,
    tool: toolShape.schema,
    command: commandShape.schema,
    path: pathShape.schema,
    match: matchShape.schema,
    example: exampleShape.schema,
    rule: ruleShape.schema,
  },
  // Editors read JSONC.
  allowTrailingCommas: true,
};

function mapShape<A, B>(shape: Shape<A>, map: (value: A) => B): Shape<B> {
  return {
    schema: shape.schema,
    read(node, context) {
      const value = shape.read(node, context);
      return value === undefined ? undefined : map(value);
    },
  };
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value);
}
