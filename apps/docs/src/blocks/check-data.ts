/** Loads the blocks of JSON with what reads such a file in earnest; JSON that nobody would read is a fault. */
import { readFileSync } from "node:fs";

import { createEngine, parsePolicy } from "@nestbox/policy";
import { checkCall, importClaudeCode, importCodex, importOpencode } from "@nestbox/policy/node";
import { compileSchema } from "@nestbox/tool";
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { failedReport } from "nestbox/src/report/json.ts";

import type { Block } from "../markdown.ts";
import { root } from "../root.ts";
import { commandTree, wordsFault } from "./command-tree.ts";
import type { Fault } from "./fault.ts";
import { knownNames } from "./known.ts";

type Fields = Readonly<Record<string, unknown>>;

export function isData({ language }: Block): boolean {
  return ["json", "jsonc", "starlark"].includes(language);
}

export function checkData(blocks: readonly Block[]): readonly Fault[] {
  return blocks.flatMap((block) =>
    faultsOf(block).map(({ line, message }) => ({ page: block.page, line: block.line + line, message })),
  );
}

interface Inner {
  /** From 0, within the block. */
  readonly line: number;
  readonly message: string;
}

function faultsOf({ language, text }: Block): readonly Inner[] {
  if (language === "starlark") return importFault(importCodex(text));
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, {
    allowTrailingComma: language === "jsonc",
    disallowComments: language === "json",
  });
  const [broken] = errors;
  if (broken) {
    const line = text.slice(0, broken.offset).split("\n").length - 1;
    return [{ line, message: printParseErrorCode(broken.error) }];
  }
  if (Array.isArray(value))
    return value.flatMap((item) => (isFields(item) ? callFault(item) : unknownShape()));
  if (!isFields(value)) return unknownShape();
  if (Object.hasOwn(value, "version") && !Object.hasOwn(value, "name")) return policyFaults(text);
  if (Object.hasOwn(value, "mcpServers")) return serversFault(value["mcpServers"]);
  if (Object.hasOwn(value, "nestbox")) return settingsFault(value["nestbox"]);
  if (Object.hasOwn(value, "tool")) return callFault(value);
  if (Object.hasOwn(value, "permissions")) return importFault(importClaudeCode(text));
  if (Object.hasOwn(value, "permission")) return importFault(importOpencode(text));
  if (Object.hasOwn(value, "ok") && Object.hasOwn(value, "calls")) return reportFault(value);
  if (Object.hasOwn(value, "name") || Object.hasOwn(value, "dependencies")) return manifestFault(value);
  return configFault(value);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fault(message: string): readonly Inner[] {
  return [{ line: 0, message }];
}

function unknownShape(): readonly Inner[] {
  return fault("nothing here reads JSON of this shape");
}

function policyFaults(text: string): readonly Inner[] {
  const read = parsePolicy(text, { file: "block.jsonc", layer: "user" });
  if (read.ok) return [];
  return read.problems.map(({ line, message }) => ({ line: (line ?? 1) - 1, message }));
}

function configFault(value: Fields): readonly Inner[] {
  const schema = JSON.parse(readFileSync(`${root}apps/cli/nestbox.config.schema.json`, "utf8")) as Fields;
  const read = compileSchema(schema).check(value);
  return read.ok ? [] : fault(read.errors.map(({ path, message }) => `${path} ${message}`).join("; "));
}

function serversFault(servers: unknown): readonly Inner[] {
  if (!isFields(servers)) return unknownShape();
  return Object.values(servers).flatMap((server) => {
    if (!isFields(server)) return unknownShape();
    const { command, args, url } = server;
    if (typeof url === "string") return URL.canParse(url) ? [] : fault(`${url} is no address`);
    if (typeof command !== "string" || !Array.isArray(args))
      return fault("a server has a command and args, or a url");
    if (command !== "nestbox") return [];
    const message = wordsFault(commandTree(), args.map(String));
    return message === undefined ? [] : fault(message);
  });
}

function settingsFault(settings: unknown): readonly Inner[] {
  if (!isFields(settings)) return fault("the setting nestbox is not an object");
  for (const [name, value] of Object.entries(settings)) {
    if (!["codemode", "policy", "review", "traces"].includes(name))
      return fault(`there is no switch ${name}`);
    if (typeof value !== "boolean") return fault(`${name} is neither true nor false`);
  }
  return [];
}

function callFault(value: Fields): readonly Inner[] {
  const { decision, id: _id, ...call } = value;
  const engine = createEngine({ layers: [], home: "/home/reader" });
  const read = checkCall(engine, call, { cwd: "/home/reader/project" });
  if (!read.ok) return fault(read.message);
  const known = decision === undefined || ["allow", "ask", "deny"].some((effect) => effect === decision);
  return known ? [] : fault("the decision is none");
}

function importFault(
  read: { readonly ok: true } | { readonly ok: false; readonly message: string },
): readonly Inner[] {
  return read.ok ? [] : fault(read.message);
}

function reportFault(value: Fields): readonly Inner[] {
  const names = Object.keys(failedReport({ kind: "usage", name: "Error", message: "" })).sort();
  const shown = Object.keys(value).sort();
  return names.join() === shown.join() ? [] : fault(`a report has ${names.join(", ")}`);
}

function manifestFault(value: Fields): readonly Inner[] {
  const { packages } = knownNames();
  const names = [value["dependencies"], value["devDependencies"], value["peerDependencies"]]
    .filter(isFields)
    .flatMap((table) => Object.keys(table));
  const unknown = names.find((name) => !packages.has(name));
  return unknown === undefined ? [] : fault(`${unknown} is a package that nothing here knows`);
}
