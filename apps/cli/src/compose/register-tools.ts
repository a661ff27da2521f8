import type { ToolHost } from "@nestbox/calls";
import { dangers } from "@nestbox/policy";
import type { OpenPolicy } from "@nestbox/policy/node";
import { createReviewTools } from "@nestbox/review/node";

import { UsageError } from "../usage-error.ts";
import { loadToolModule } from "./load-tools.ts";
import { messageOf } from "@nestbox/tool";
import { catchStrayErrors } from "./stray-errors.ts";
import { untilAborted } from "./until-aborted.ts";

/** Which tools a command line names. */
export interface ToolChoice {
  /** Modules of tools, relative to `start`; absent: the review tools. */
  readonly tools?: readonly string[];
  /** Extensions of Pi, relative to `start`, whose tools come on top. */
  readonly extension?: readonly string[];
}

export interface RegisterContext {
  readonly start: string;
  readonly cwd: string;
  readonly policy: OpenPolicy;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

/**
 * Registers the tools that a command line names; until the result is disposed of, extensions live and what tools let
 * go of ends no process. Throws `UsageError` for what is none.
 */
export async function registerTools(
  host: ToolHost,
  choice: ToolChoice,
  context: RegisterContext,
): Promise<AsyncDisposable> {
  const strays = catchStrayErrors(context.warn);
  const watching: ToolHost = Object.create(host, {
    register: {
      value: ((tool, options) => host.register(strays.watched(tool), options)) satisfies ToolHost["register"],
    },
  });
  try {
    const registering = registerAll(watching, choice, context);
    const extensions = await untilAborted(registering, context.signal).catch((error: unknown) => {
      // Loaded too late: nobody calls its tools.
      registering.then((late) => late[Symbol.asyncDispose]()).catch(() => undefined);
      throw error;
    });
    return {
      async [Symbol.asyncDispose]() {
        await extensions[Symbol.asyncDispose]();
        strays[Symbol.dispose]();
      },
    };
  } catch (error) {
    strays[Symbol.dispose]();
    throw error;
  }
}

async function registerAll(
  host: ToolHost,
  { tools, extension = [] }: ToolChoice,
  context: RegisterContext,
): Promise<AsyncDisposable> {
  let extensions: AsyncDisposable = { [Symbol.asyncDispose]: () => Promise.resolve() };
  if (extension.length > 0) {
    // Its loader is not small, and few commands need it.
    const { loadExtensions } = await import("../extension/load-extensions.ts");
    extensions = await loadExtensions(host, extension, context);
  }
  try {
    if (tools === undefined) registerReviewTools(host, context);
    else await registerModules(host, tools, context.start);
  } catch (error) {
    await extensions[Symbol.asyncDispose]();
    throw error;
  }
  return extensions;
}

/** Nobody named them, so a name that an extension has taken stays its own. */
function registerReviewTools(host: ToolHost, { policy, cwd }: RegisterContext): void {
  const taken = new Set(host.registered().map(({ name }) => name));
  for (const tool of createReviewTools({ dangers: () => dangers(policy.layers()), cwd }))
    if (!taken.has(tool.name)) host.register(tool, { source: { kind: "module" } });
}

async function registerModules(host: ToolHost, modules: readonly string[], start: string): Promise<void> {
  const loaded = await Promise.all(modules.map((name) => loadToolModule(name, start)));
  for (const [index, tools] of loaded.entries()) {
    const path = modules[index];
    for (const tool of tools) {
      try {
        host.register(tool, { source: { kind: "module", ...(path === undefined ? {} : { path }) } });
      } catch (cause) {
        // Refused by the host: a name that two modules claim, a schema that is none.
        throw new UsageError(`--tools ${path}: ${messageOf(cause)}`, {
          cause,
        });
      }
    }
  }
}
