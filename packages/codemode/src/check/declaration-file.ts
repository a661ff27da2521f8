import type { CallableTool } from "@nestbox/tool";
import { nameTools } from "../declarations/identifier.ts";
import { renderSignature } from "../declarations/tool-declaration.ts";

/** Everything of a script's world that is no tool. Where a type would only get in the way it is `any`. */
const WORLD = `
interface NestboxListedTool { name: string; description: string }
interface NestboxOutcome { toolCall: any; result: any; isError: boolean }
declare const ctx: { executeTool(name: string, args?: any): Promise<NestboxOutcome> };
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
  "DOMException",
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
  const members = new Map<string, string>();
  for (const tool of tools) {
    const identifier = names.identifierOf(tool.name);
    if (members.has(identifier)) continue;
    const { member, declarations } = renderSignature(tool, identifier, `${identifier}_`);
    types.push(...declarations.map(loosen));
    members.set(identifier, loosenResult(member));
    // The exact name works too, wherever it is no identifier of another tool.
    if (tool.name !== identifier && names.members.get(tool.name) === tool.name) {
      members.set(
        tool.name,
        `${JSON.stringify(tool.name)}${loosenResult(member).slice(member.indexOf("("))}`,
      );
    }
  }
  const body = [...members.values()].map((member) => `  ${member.replaceAll("\n", "\n  ")}`).join("\n");
  return `${types.join("\n")}\ninterface ${TOOLS_TYPE} {\n${body}\n}\ndeclare const tools: ${TOOLS_TYPE};\n${WORLD}`;
}

/** What a result's schema does not say is not wrong to use. */
function loosenResult(member: string): string {
  const at = member.lastIndexOf("): Promise<");
  return at === -1 ? member : member.slice(0, at) + loosen(member.slice(at));
}

function loosen(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|\bunknown\b/g, (part) => (part === "unknown" ? "any" : part));
}
