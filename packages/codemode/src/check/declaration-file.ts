import { type CallableTool, compileSchema } from "@nestbox/tool";
import { nameTools } from "../declarations/identifier.ts";
import { nameOf, renderSignature, type Signature } from "../declarations/tool-declaration.ts";

/** Everything of a script's world that is no tool. Where a type would only get in the way it is `any`. */
const WORLD = `
interface NestboxListedTool { name: string; description: string }
interface NestboxOutcome { toolCall: any; result: any; isError: boolean }
declare const ctx: {
  executeTool<N extends string>(name: N, ...args: N extends keyof ToolArguments ? [...ToolArguments[N], ...any[]] : any[]): Promise<NestboxOutcome>;
};
declare function text(value?: any): void;
declare function image(value: any): void;
declare function exit(): never;
declare function store(key: string, value: any): void;
declare function load(key: string): any;
declare const ALL_TOOLS: ReadonlyArray<NestboxListedTool>;
declare function searchTools(query: string, options?: { limit?: number; namespace?: string | null }): Promise<NestboxListedTool[]>;
declare function describeTool(name: string): Promise<string | undefined>;
declare function describeNamespace(name: string): Promise<{ name: string; description?: string; instructions?: string; tools: string[] } | undefined>;
declare const models: {
  getModelsOfType(type: "chat" | "image" | "classifier", provider?: string): Promise<any[]>;
  getAvailableOfType(type: "chat" | "image" | "classifier", provider?: string): Promise<any[]>;
  getModelOfType(type: "chat" | "image" | "classifier", provider: string, id: string): Promise<any>;
  classify(model: any, context: any): Promise<any>;
  generateImages(model: any, context: any): Promise<any>;
};
declare const console: any;
declare function setTimeout(callback: (...args: any[]) => any, delay?: number, ...args: any[]): any;
declare function setInterval(callback: (...args: any[]) => any, delay?: number, ...args: any[]): any;
declare function setImmediate(callback: (...args: any[]) => any, ...args: any[]): any;
declare function clearTimeout(id?: any): void;
declare function clearInterval(id?: any): void;
declare function clearImmediate(id?: any): void;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare const performance: any;
declare const crypto: any;
${[
  "URL",
  "URLSearchParams",
  "TextEncoder",
  "TextDecoder",
  "AbortController",
  "AbortSignal",
  "Event",
  "EventTarget",
  "CustomEvent",
  "DOMException",
  "InternalError",
]
  .map((name) => `declare const ${name}: any;\ntype ${name} = any;`)
  .join("\n")}
`;

/** The name of the type of `tools`: messages about members that do not exist name it. */
export const TOOLS_TYPE = "Tools";

/** Declares what a script can use, for a type checker. */
export function renderDeclarationFile(tools: readonly CallableTool[]): string {
  const names = nameTools(tools.map((tool) => tool.name));
  const types: string[] = [];
  const typeNames = new Set<string>();
  const members = new Map<string, string>();
  // Arguments by exact name, which is what `ctx.executeTool` takes.
  const exact = new Map<string, string>();
  for (const tool of tools) {
    const identifier = names.identifierOf(tool.name);
    if (members.has(identifier)) continue;
    const { input, output, declarations } = signatureWithNewNames(tool, identifier, typeNames);
    types.push(...declarations);
    const args = `args${mayBeLeftOut(tool) ? "?" : ""}: ${input}`;
    exact.set(tool.name, `${JSON.stringify(tool.name)}: [${args}];`);
    const call = `(${args}): Promise<${output}>;`;
    // A bare `new(…)` would declare a constructor.
    members.set(identifier, `${JSON.stringify(identifier)}${call}`);
    // The exact name works too, wherever it is no identifier of another tool.
    if (tool.name !== identifier && names.members.get(tool.name) === tool.name) {
      members.set(tool.name, `${JSON.stringify(tool.name)}${call}`);
    }
  }
  return [
    ...types,
    `interface ${TOOLS_TYPE} {\n${indented(members)}\n}`,
    `interface ToolArguments {\n${indented(exact)}\n}`,
    `declare const tools: ${TOOLS_TYPE};`,
    WORLD,
  ].join("\n");
}

function indented(members: ReadonlyMap<string, string>): string {
  return [...members.values()].map((member) => `  ${member.replaceAll("\n", "\n  ")}`).join("\n");
}

/** What a result's schema does not say is not wrong to use, so it is `any`. Types of two tools never share a name. */
function signatureWithNewNames(tool: CallableTool, identifier: string, taken: Set<string>): Signature {
  for (let typePrefix = `${identifier}_`; ; typePrefix += "_") {
    const signature = renderSignature(tool, identifier, { typePrefix, anyResult: "any" });
    const own = signature.declarations.map(nameOf);
    if (own.some((name) => taken.has(name))) continue;
    for (const name of own) taken.add(name);
    return signature;
  }
}

/** A call without arguments is one with none of them, where the tool requires none. */
function mayBeLeftOut({ parameters }: CallableTool): boolean {
  try {
    return compileSchema(parameters).check({}).ok;
  } catch {
    return true;
  }
}
