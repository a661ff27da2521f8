import type { Core } from "./core.ts";
import type { Environment, Service } from "./environment.ts";
import type { Primordials } from "./primordials.ts";
import type { makeClone } from "./web-clone.ts";
import type { makeCrypto } from "./web-crypto.ts";
import type { makeEncoding } from "./web-encoding.ts";
import type { makeEvents } from "./web-events.ts";
import type { AsInterface } from "./web-interface.ts";
import type { makeUrls } from "./web-url.ts";

export interface WebParts {
  readonly makeEvents: typeof makeEvents;
  readonly makeEncoding: typeof makeEncoding;
  readonly makeUrls: typeof makeUrls;
  readonly makeCrypto: typeof makeCrypto;
  readonly makeClone: typeof makeClone;
}

/**
 * Web globals without I/O. Each group is built when a script first names one of its members, so that a script
 * which needs none pays nothing; as on the web, a script may replace them.
 *
 * They hold no power: what they ask of the sandbox process are pure functions of strings and bytes. Runs inside the
 * isolate as source text: it refers to nothing outside its arguments.
 */
export function makeWebGlobals(
  P: Primordials,
  core: Core,
  environment: Environment,
  service: Service,
  parts: WebParts,
): void {
  "use strict";
  const groups = new P.Map<string, () => object>() as unknown as Map<unknown, unknown>;

  function group(name: string, build: () => object): () => Record<string, unknown> {
    return () => {
      const known = P.mapGet(groups, name) as Record<string, unknown> | undefined;
      if (known !== undefined) return known;
      const made = build() as Record<string, unknown>;
      P.mapSet(groups, name, made);
      return made;
    };
  }

  const interfaces = new P.WeakSet<object>();
  const asInterface: AsInterface = (classes) => {
    for (const name of Object.keys(classes)) {
      const prototype = classes[name]?.prototype as object;
      P.weakSetAdd(interfaces, prototype);
      const shown = P.create(null) as PropertyDescriptor;
      shown.enumerable = true;
      for (const key of Object.getOwnPropertyNames(prototype))
        if (key !== "constructor") P.defineProperty(prototype, key, shown);
      const tag = core.descriptor(name, false, false);
      tag.configurable = true;
      P.defineProperty(prototype, Symbol.toStringTag, tag);
    }
  };

  function lazy(name: string, members: () => Record<string, unknown>): void {
    const descriptor = P.create(null) as PropertyDescriptor;
    const settle = (value: unknown): void => core.define(globalThis, name, value, false);
    descriptor.get = () => {
      const value = members()[name];
      settle(value);
      return value;
    };
    descriptor.set = settle;
    descriptor.enumerable = false;
    descriptor.configurable = true;
    P.defineProperty(globalThis, name, descriptor);
  }

  const events = group("events", () => parts.makeEvents(environment.clock, asInterface));
  const exception = (): new (message: string, name: string) => Error =>
    events()["DOMException"] as new (message: string, name: string) => Error;
  const encoding = group("encoding", () => parts.makeEncoding(service, exception, asInterface));
  const urls = group("urls", () => parts.makeUrls(service, asInterface));
  const crypto = group("crypto", () => parts.makeCrypto(service, environment.bytes, exception));
  const clone = group("clone", () =>
    parts.makeClone(exception, (prototype) => P.weakSetHas(interfaces, prototype)),
  );

  lazy("DOMException", events);
  lazy("Event", events);
  lazy("CustomEvent", events);
  lazy("EventTarget", events);
  lazy("AbortController", events);
  lazy("AbortSignal", events);
  lazy("TextEncoder", encoding);
  lazy("TextDecoder", encoding);
  lazy("atob", encoding);
  lazy("btoa", encoding);
  lazy("URL", urls);
  lazy("URLSearchParams", urls);
  lazy("crypto", crypto);
  lazy("structuredClone", clone);

  const performance = P.create(P.objectPrototype) as Record<string, unknown>;
  core.define(performance, "now", () => environment.clock(), true);
  const origin = P.create(null) as PropertyDescriptor;
  origin.get = () => environment.timeOrigin();
  origin.enumerable = true;
  origin.configurable = true;
  P.defineProperty(performance, "timeOrigin", origin);
  core.define(globalThis, "performance", performance, false);
}
