import { EventEmitter } from "node:events";

import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import type { ToolHost } from "@nestbox/calls";
import { createJiti } from "jiti";

import { messageOf } from "@nestbox/tool";
import { UsageError } from "../usage-error.ts";
import { type RunningExtension, runExtension, type SharedSession } from "./extension-api.ts";
import { createExtensionContext } from "./extension-context.ts";
import { findExtension } from "./find-extension.ts";
import { findPi, isProvided, providedModules } from "./host-modules.ts";

export interface ExtensionsOptions {
  /** Where the command was started; the given paths are relative to it. */
  readonly start: string;
  /** Working folder of the tools. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/**
 * Loads extensions of Pi and registers their tools; their handlers judge every call of the host. `session_start` has
 * been told to all of them when this settles, `session_shutdown` is told when the result is disposed of. Throws
 * `UsageError`.
 */
export async function loadExtensions(
  host: ToolHost,
  given: readonly string[],
  options: ExtensionsOptions,
): Promise<AsyncDisposable> {
  const { start, cwd, signal, warn } = options;
  const running: RunningExtension[] = [];
  const shared: SharedSession = {
    bus: new EventEmitter().setMaxListeners(0),
    tools: new Map(),
    begun: false,
  };
  const end = async (): Promise<void> => {
    await Promise.all(running.map((extension) => extension.shutdown()));
  };
  try {
    for (const name of given) {
      for (const file of findExtension(name, start)) {
        const context = createExtensionContext({
          cwd,
          signal,
          notify: (message) => warn(`${name}: ${message}`),
        });
        const factory = await importExtension(file, name);
        running.push(await runExtension(factory, { host, name, file, cwd, context, shared, warn }));
      }
    }
    shared.begun = true;
    for (const extension of running) await extension.start();
  } catch (error) {
    await end();
    throw error;
  }
  return { [Symbol.asyncDispose]: end };
}

/** As Pi loads it: TypeScript of any kind, and the modules that Pi brings from Pi. */
async function importExtension(file: string, name: string): Promise<ExtensionFactory> {
  const where = `--extension ${name}`;
  const plain = createJiti(file, { fsCache: false });
  const pi = findPi(file, process.env);
  const alias =
    pi === undefined
      ? {}
      : providedModules(pi, (module, from) => plain.esmResolve(module, { parentURL: from, try: true }));
  // Node itself first: it knows what this process was started with, and its own types are erased fastest. No cache on
  // disk: in a shared folder for temporary files somebody else could put code there.
  const jiti = createJiti(file, { fsCache: false, moduleCache: false, tryNative: true, alias });
  let factory: unknown;
  try {
    factory = await jiti.import(file, { default: true });
  } catch (cause) {
    throw new UsageError(`${where}: it cannot be loaded: ${loadProblem(messageOf(cause), pi)}`, { cause });
  }
  if (typeof factory !== "function")
    throw new UsageError(`${where}: its default export is no function, so it is no extension of Pi.`);
  // What an extension exports; that it takes the API shows when it is called.
  return factory as ExtensionFactory;
}

function loadProblem(message: string, pi: string | undefined): string {
  const [first = ""] = message.split("\n");
  const missing = /Cannot find (?:module|package) '([^']+)'/.exec(first)?.[1];
  if (missing === undefined || pi !== undefined || !isProvided(missing)) return first;
  return `it imports ${missing}, which Pi brings, and Pi was found neither next to it nor on PATH: npm install --global @earendil-works/pi-coding-agent`;
}
