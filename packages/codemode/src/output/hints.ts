import { NO_MODULES } from "../source/module-form.ts";

const NO_FILES = "there is no file system here; read and write files with tools";
const NO_NETWORK = "there is no network here; call a tool that has it";
const NO_HOST = "this is neither Node nor a browser; call tools with `await tools.<name>(args)`";

const ABSENT: ReadonlyMap<string, string> = new Map([
  ...["require", "module", "exports"].map((name) => [name, NO_MODULES] as const),
  ...["fs", "path", "os", "child_process"].map((name) => [name, NO_FILES] as const),
  ...["fetch", "XMLHttpRequest", "WebSocket", "axios"].map((name) => [name, NO_NETWORK] as const),
  ...["process", "Buffer", "__dirname", "__filename", "Deno", "Bun", "window", "document"].map(
    (name) => [name, NO_HOST] as const,
  ),
]);

/** What there is instead of something that other hosts of JavaScript have; undefined for any other error. */
export function hintFor(name: string, message: string): string | undefined {
  // The engine's words for `import()`.
  if (name === "Error" && message === "Not supported") return NO_MODULES;
  if (name !== "ReferenceError") return undefined;
  const missing = /^'?([A-Za-z_$][\w$]*)'? is not defined$/.exec(message)?.[1];
  return missing === undefined ? undefined : ABSENT.get(missing);
}
