import type { Service } from "./environment.ts";
import type { AsInterface } from "./web-interface.ts";

/**
 * `URL` and `URLSearchParams`: the parsing is Node's, asked through the service.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeUrls(service: Service, asInterface: AsInterface) {
  "use strict";
  type Pair = [name: string, value: string];

  /** Text as the web takes it: of whatever it is, symbols excepted, without lone surrogates. */
  // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- unlike String() it refuses symbols
  const text = (value: unknown): string => `${value as string}`.toWellFormed();

  function need(count: number, given: { readonly length: number }, what: string): void {
    if (given.length < count)
      throw new TypeError(`${what} expects ${count === 1 ? "an argument" : `${count} arguments`}`);
  }

  function invalid(input: string, base?: string): TypeError {
    const error = new TypeError("Invalid URL");
    return Object.assign(error, { code: "ERR_INVALID_URL", input }, base === undefined ? {} : { base });
  }

  let onChange: ((params: URLSearchParams, listener: (text: string) => void) => void) | undefined;
  let reset: ((params: URLSearchParams, query: string) => void) | undefined;

  class URLSearchParams {
    #pairs: Pair[] = [];
    #listener: ((text: string) => void) | undefined;

    static {
      onChange = (params, listener) => {
        params.#listener = listener;
      };
      reset = (params, query) => {
        params.#pairs = parse(query);
      };
    }

    constructor(init: unknown = "") {
      if ((typeof init !== "object" && typeof init !== "function") || init === null) {
        this.#pairs = parse(text(init));
        return;
      }
      const iterator = (init as Partial<Iterable<unknown>>)[Symbol.iterator];
      if (iterator === undefined || iterator === null) {
        for (const key of Reflect.ownKeys(init)) {
          if (Reflect.getOwnPropertyDescriptor(init, key)?.enumerable === true)
            this.#pairs.push([text(key), text((init as Record<PropertyKey, unknown>)[key])]);
        }
        return;
      }
      for (const entry of init as Iterable<unknown>) {
        const pair = typeof entry === "object" && entry !== null ? [...(entry as Iterable<unknown>)] : [];
        if (pair.length !== 2) throw new TypeError("Each pair of a URLSearchParams has a name and a value");
        this.#pairs.push([text(pair[0]), text(pair[1])]);
      }
    }

    get size(): number {
      return this.#pairs.length;
    }

    append(name: unknown, value: unknown): void {
      need(2, arguments, "append()");
      this.#pairs.push([text(name), text(value)]);
      this.#changed();
    }

    delete(name: unknown, value?: unknown): void {
      need(1, arguments, "delete()");
      const matches = matcher(name, value);
      this.#pairs = this.#pairs.filter((pair) => !matches(pair));
      this.#changed();
    }

    get(name: unknown): string | null {
      need(1, arguments, "get()");
      return this.#pairs.find(matcher(name))?.[1] ?? null;
    }

    getAll(name: unknown): string[] {
      need(1, arguments, "getAll()");
      return this.#pairs.filter(matcher(name)).map((pair) => pair[1]);
    }

    has(name: unknown, value?: unknown): boolean {
      need(1, arguments, "has()");
      return this.#pairs.some(matcher(name, value));
    }

    set(name: unknown, value: unknown): void {
      need(2, arguments, "set()");
      const key = text(name);
      const index = this.#pairs.findIndex((pair) => pair[0] === key);
      if (index === -1) this.#pairs.push([key, text(value)]);
      else {
        (this.#pairs[index] as Pair)[1] = text(value);
        this.#pairs = this.#pairs.filter((pair, at) => pair[0] !== key || at === index);
      }
      this.#changed();
    }

    sort(): void {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed();
    }

    forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
      if (typeof callback !== "function") throw new TypeError("forEach() expects a function");
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }

    *entries(): IterableIterator<Pair> {
      for (let i = 0; i < this.#pairs.length; i++) {
        const [name, value] = this.#pairs[i] as Pair;
        yield [name, value];
      }
    }

    *keys(): IterableIterator<string> {
      for (const [name] of this.entries()) yield name;
    }

    *values(): IterableIterator<string> {
      for (const [, value] of this.entries()) yield value;
    }

    declare readonly [Symbol.iterator]: () => IterableIterator<Pair>;

    toString(): string {
      return service("query-text", JSON.stringify(this.#pairs)) as string;
    }

    toJSON(): string {
      return this.toString();
    }

    #changed(): void {
      this.#listener?.(this.toString());
    }
  }

  // One function under both names. Assigned: a descriptor would inherit what a script has put on Object.prototype.
  Reflect.set(URLSearchParams.prototype, Symbol.iterator, Reflect.get(URLSearchParams.prototype, "entries"));

  function matcher(name: unknown, value?: unknown): (pair: Pair) => boolean {
    const key = text(name);
    const wanted = value === undefined ? undefined : text(value);
    return (pair) => pair[0] === key && (wanted === undefined || pair[1] === wanted);
  }

  /** One `?` in front is no part of a query. */
  function parse(query: string): Pair[] {
    return JSON.parse(service("query", query) as string) as Pair[];
  }

  const PARTS = [
    "href",
    "origin",
    "protocol",
    "username",
    "password",
    "host",
    "hostname",
    "port",
    "pathname",
    "search",
    "hash",
  ];

  class URL {
    #parts: string[];
    #params: URLSearchParams | undefined;

    constructor(href: unknown, base?: unknown) {
      need(1, arguments, "new URL()");
      const input = text(href);
      const from = base === undefined ? undefined : text(base);
      const parts = from === undefined ? service("url", input) : service("url", input, from);
      if (typeof parts !== "string") throw invalid(input, from);
      this.#parts = JSON.parse(parts) as string[];
    }

    static canParse(href: unknown, base?: unknown): boolean {
      need(1, arguments, "URL.canParse()");
      return URL.parse(href, base) !== null;
    }

    static parse(href: unknown, base?: unknown): URL | null {
      need(1, arguments, "URL.parse()");
      const input = text(href);
      const from = base === undefined ? undefined : text(base);
      try {
        return new URL(input, from);
      } catch {
        return null;
      }
    }

    static readonly read = (url: URL, index: number): string => url.#parts[index] ?? "";

    static readonly write = (url: URL, index: number, value: unknown): void => {
      const wanted = text(value);
      const parts = service("url-set", url.#parts[0], PARTS[index], wanted);
      if (typeof parts !== "string") {
        if (index === 0) throw invalid(wanted);
        return;
      }
      url.#parts = JSON.parse(parts) as string[];
      if (url.#params !== undefined) reset?.(url.#params, url.#parts[9] ?? "");
    };

    get searchParams(): URLSearchParams {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#parts[9] ?? "");
        onChange?.(this.#params, (query) => {
          const parts = service("url-set", this.#parts[0], "search", query);
          if (typeof parts === "string") this.#parts = JSON.parse(parts) as string[];
        });
      }
      return this.#params;
    }

    toString(): string {
      return this.#parts[0] ?? "";
    }

    toJSON(): string {
      return this.toString();
    }
  }

  const { read, write } = URL;
  Reflect.deleteProperty(URL, "read");
  Reflect.deleteProperty(URL, "write");
  for (const [index, part] of PARTS.entries()) {
    Object.defineProperty(URL.prototype, part, {
      get(this: URL) {
        return read(this, index);
      },
      ...(part === "origin"
        ? {}
        : {
            set(this: URL, value: unknown) {
              write(this, index, value);
            },
          }),
      enumerable: true,
      configurable: true,
    });
  }

  const made = { URL, URLSearchParams };
  asInterface(made);
  return made;
}
