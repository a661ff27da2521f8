import { nameTools } from "../declarations/identifier.ts";
import { NO_MODULES } from "../source/module-form.ts";

const NO_FILES = "there is no file system here; read and write files with tools";
const NO_NETWORK = "there is no network here; call a tool that has it";
const NO_HOST = "this is neither Node nor a browser; call tools with `await tools.<name>(args)`";
const NO_STORAGE =
  "there is no storage of a browser here; `store(key, value)` keeps a value for later scripts, `load(key)` gives it back";
const NO_STREAMS =
  "there are no streams and no blobs here; use text, `Uint8Array`, `TextEncoder` and `TextDecoder`";
const NO_THREADS =
  "there are no threads here; calls of tools that are made together run together: `await Promise.all([…])`";
const NO_PRINT = "show text with `text(value)` or `console.log(value)`, or return the value";
const NO_PYTHON =
  "scripts are JavaScript, not Python: `null`, `true`, `false`, `list.length`, `String(value)`, `Number(value)`";
const NO_SLEEP = "wait with `await new Promise((resolve) => setTimeout(resolve, milliseconds))`";
const NO_AWAIT =
  "`await` waits only inside of an async function: write `async` in front of the function that it stands in";
const MEMBERS_OF_TOOLS =
  "tools are members of `tools`: `await tools.<name>(args)`, or `await ctx.executeTool(name, args)` for any exact name";

/** What there is instead of names that other hosts, other runners of scripts and other languages have. */
const ABSENT: ReadonlyMap<string, string> = new Map(
  (
    [
      [NO_MODULES, "require module exports lodash _ $ jQuery moment dayjs cheerio zod"],
      [NO_FILES, "fs fsp path os child_process readFileSync writeFileSync existsSync readdirSync mkdirSync"],
      [NO_FILES, "execSync spawnSync exec spawn"],
      [NO_NETWORK, "fetch XMLHttpRequest WebSocket EventSource Request Response Headers FormData axios"],
      [NO_HOST, "process Buffer __dirname __filename Deno Bun window document navigator location alert"],
      [NO_HOST, "prompt confirm DOMParser requestAnimationFrame"],
      ["the global object is `globalThis`; names declared in the script need none", "global self"],
      [NO_STORAGE, "localStorage sessionStorage indexedDB"],
      [NO_STREAMS, "Blob File FileReader ReadableStream WritableStream TransformStream"],
      [NO_THREADS, "Worker SharedWorker MessageChannel BroadcastChannel SharedArrayBuffer"],
      ["there is no WebAssembly here; scripts are JavaScript or TypeScript", "WebAssembly"],
      [NO_PRINT, "print println printf puts display final_answer"],
      [NO_PYTHON, "None True False len str int dict range isinstance"],
      [NO_SLEEP, "sleep delay"],
      [NO_AWAIT, "await"],
      [MEMBERS_OF_TOOLS, "codemode functions mcp callTool call_tool executeTool useTool"],
    ] as const
  ).flatMap(([hint, names]) => names.split(" ").map((name) => [name, hint] as const)),
);

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;
const UNKNOWN_NAME = new RegExp(`^'?(${NAME})'? is not defined$`, "u");
/** `globalThis.fetch(…)` finds no name missing, only a value. */
const UNKNOWN_GLOBAL = new RegExp(
  `^(?:globalThis|window|self)\\.(${NAME}) is not a (?:function|constructor)$`,
  "u",
);
/** Tools named in a hint about a prefix. */
const MAX_NAMED_TOOLS = 3;

/**
 * What there is instead of something that other hosts of JavaScript, other runners of scripts or other languages have;
 * undefined for any other error. `tools` are the exact names of the tools that the script can call.
 */
export function hintFor(name: string, message: string, tools: readonly string[] = []): string | undefined {
  // The engine's words for `import()`.
  if (name === "Error" && message === "Not supported") return NO_MODULES;
  if (name === "ReferenceError") {
    const missing = UNKNOWN_NAME.exec(message)?.[1];
    return missing === undefined ? undefined : (toolHint(missing, tools) ?? ABSENT.get(missing));
  }
  if (name === "TypeError") return typeHint(message);
  // The engine says what a text that is no JSON begins with: that of an object or of a promise says it all.
  if (name === "SyntaxError" && message === '"[object Object]" is not valid JSON')
    return "`JSON.parse` was given an object, not text: use the object as it is";
  return undefined;
}

function typeHint(message: string): string | undefined {
  const missing = UNKNOWN_GLOBAL.exec(message)?.[1];
  if (missing !== undefined) return ABSENT.get(missing);
  if (message === "tools is not a function") return MEMBERS_OF_TOOLS;
  if (/^crypto\.\w+ is not a function$/.test(message))
    return "`crypto` has `randomUUID()`, `getRandomValues(array)` and `subtle.digest(algorithm, bytes)`";
  return undefined;
}

/** A tool that is called by its bare name, spelled or prefixed as elsewhere, or by the name of what it belongs to. */
function toolHint(missing: string, tools: readonly string[]): string | undefined {
  if (tools.length === 0) return undefined;
  const names = nameTools(tools);
  if (names.members.has(missing)) return memberHint([missing]);
  const identifiers = names.tools.map(({ identifier }) => identifier);
  const wanted = folded(missing);
  const same = identifiers.find((identifier) => folded(identifier) === wanted);
  // `external_name`, `mcp_name`: of several that it ends with, the longest is meant.
  const ending = identifiers
    .filter((identifier) => missing.endsWith(`_${identifier}`))
    .toSorted((a, b) => b.length - a.length)[0];
  const meant = same ?? ending;
  if (meant !== undefined) return memberHint([meant]);
  const members = identifiers.filter((identifier) => identifier.startsWith(`${missing}_`));
  return members.length === 0 ? undefined : memberHint(members);
}

/** `getIssue`, `get_issue` and `GetIssue` are one name. */
function folded(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

function memberHint(identifiers: readonly string[]): string {
  const named = identifiers.slice(0, MAX_NAMED_TOOLS).map((identifier) => `\`tools.${identifier}\``);
  const rest = identifiers.length - named.length;
  const [only] = identifiers;
  return identifiers.length === 1
    ? `tools are members of \`tools\`: \`await tools.${only}(args)\``
    : `tools are members of \`tools\`: ${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
