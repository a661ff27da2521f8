import type { Core } from "./core.ts";
import type { Environment, Service } from "./environment.ts";
import type { Primordials } from "./primordials.ts";

/**
 * Web globals without I/O.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeWebGlobals(P: Primordials, core: Core, environment: Environment, service: Service): void {
  "use strict";
  void service;
  const performance = P.create(P.objectPrototype) as Record<string, unknown>;
  core.define(performance, "now", () => environment.clock(), true);
  core.define(globalThis, "performance", performance, true);
}
