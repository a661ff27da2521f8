import { makeConsole } from "./console.ts";
import { type CoreConfig, makeCore } from "./core.ts";
import { type EnvironmentConfig, makeEnvironment } from "./environment.ts";
import { makeFrames } from "./frames.ts";
import { makeLanguage } from "./language.ts";
import { type Emit, makeQueue, type Segment } from "./queue.ts";
import { makeScriptGlobals, type ScriptGlobals } from "./script-globals.ts";
import { primordials } from "./primordials.ts";
import { makeTimers } from "./timers.ts";
import { warmBridge } from "./warm.ts";
import { makeValues } from "./values.ts";
import { makeClone } from "./web-clone.ts";
import { makeCrypto } from "./web-crypto.ts";
import { makeEncoding } from "./web-encoding.ts";
import { makeEvents } from "./web-events.ts";
import { makeWebGlobals } from "./web-globals.ts";
import { makeUrls } from "./web-url.ts";

/** Operations of the function that the prelude evaluates to. */
export const OPERATION = {
  configure: 0,
  run: 1,
  settle: 2,
  tick: 3,
  drain: 4,
  take: 5,
  partial: 6,
  warm: 7,
} as const;

/**
 * Source text of the prelude: a strict function `(emit, service)` that takes down what a script must not have,
 * builds the globals and returns the one function through which the sandbox process speaks to the isolate. Both
 * callbacks live in its closure only.
 */
export function preludeSource(): string {
  const declarations = Object.entries(PARTS).map(([name, part]) => `const ${name} = ${String(part)};`);
  const names = Object.keys(PARTS).join(", ");
  return `(function (emit, service) { "use strict";\n${declarations.join("\n")}\nconst main = ${String(main)};\nreturn main({ ${names} }, emit, service); })`;
}

const PARTS = {
  primordials,
  makeValues,
  makeFrames,
  makeQueue,
  makeCore,
  makeEnvironment,
  makeTimers,
  makeConsole,
  makeLanguage,
  makeEvents,
  makeEncoding,
  makeUrls,
  makeCrypto,
  makeClone,
  makeWebGlobals,
  makeScriptGlobals,
  warmBridge,
};

type Parts = typeof PARTS;

/** Runs inside the isolate; see {@link preludeSource}. */
function main(
  parts: Parts,
  emit: Emit,
  service: (operation: string, ...args: readonly unknown[]) => unknown,
) {
  const P = parts.primordials();
  const queue = parts.makeQueue(P, emit);
  const frames = parts.makeFrames(P);
  const core = parts.makeCore(P, queue, frames);
  const values = parts.makeValues(P, (message) => core.warn("value", message));
  const environment = parts.makeEnvironment(P, core, service);
  const timerLimits = { max: 0 };
  let script: ScriptGlobals | undefined;
  const timers = parts.makeTimers(P, core, environment, timerLimits);

  // No memory that other threads share, and none that the engine's own limit does not see.
  const scope = globalThis as unknown as Record<string, unknown>;
  delete scope["WebAssembly"];
  delete scope["SharedArrayBuffer"];
  delete scope["Atomics"];
  // An accessor that gives nothing: V8 then formats stacks itself and hands no frame to a script.
  const nothing = P.create(null) as PropertyDescriptor;
  nothing.get = () => undefined;
  nothing.set = () => undefined;
  nothing.configurable = false;
  P.defineProperty(P.Error, "prepareStackTrace", nothing);

  parts.makeConsole(P, core, environment.clock);
  parts.makeLanguage(P, core);
  parts.makeWebGlobals(P, core, environment, service, parts);

  return (operation: number, a?: unknown, b?: unknown, ...rest: unknown[]): unknown => {
    switch (operation) {
      case 0: {
        const config = P.parse(a as string) as CoreConfig;
        timerLimits.max = config.limits.timers;
        core.configure(values, config, timers.wake, () => script?.storeWrites() ?? "[]");
        script = parts.makeScriptGlobals(
          P,
          core,
          values,
          {
            allTools: () => service("tools") as string,
            base64: (bytes) => service("base64", bytes) as string,
          },
          config,
        );
        return undefined;
      }
      case 1: {
        const own = P.parse(rest[0] as string) as {
          readonly store: Readonly<Record<string, string>>;
          readonly environment: EnvironmentConfig;
        };
        environment.configure(own.environment);
        script?.fillStore(own.store);
        frames.move(rest[2] as number, rest[3] as number, rest[4] as number);
        core.run(a as () => Promise<unknown>, b as boolean, rest[1] as boolean);
        return undefined;
      }
      case 2:
        environment.advance(b as number);
        core.settle(a as string, rest as Segment[]);
        return undefined;
      case 3:
        environment.advance(a as number);
        return timers.fire();
      case 4:
        return core.drain();
      case 5:
        return queue.take(a as number);
      case 6:
        return core.partial();
      default:
        parts.warmBridge(P, parts);
        return undefined;
    }
  };
}
