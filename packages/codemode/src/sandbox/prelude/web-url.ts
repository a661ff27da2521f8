import type { Service } from "./environment.ts";

/**
 * `URL` and `URLSearchParams`: the parsing is Node's, asked through the service.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeUrls(service: Service) {
  "use strict";
  type Pair = [name: string, value: string];

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
      if (typeof init === "object" && init !== null) {
        const iterable = (init as Partial<Iterable<unknown>>)[Symbol.iterator];
        if (typeof iterable === "function") {
          for (const entry of init as Iterable<unknown>) {
            const pair = [...(entry as Iterable<unknown>)];
            if (pair.length !== 2)
              throw new TypeError("Each pair of a URLSearchParams has a name and a value");
            this.#pairs.push([String(pair[0]), String(pair[1])]);
          }
        } else for (const [name, value] of Object.entries(init)) this.#pairs.push([name, String(value)]);
      } else this.#pairs = parse(String(init).replace(/^\?/, ""));
    }

    get size(): number {
      return this.#pairs.length;
    }

    append(name: unknown, value: unknown): void {
      this.#pairs.push([String(name), String(value)]);
      this.#changed();
    }

    delete(name: unknown, value?: unknown): void {
      const key = String(name);
      this.#pairs = this.#pairs.filter(
        (pair) => pair[0] !== key || (value !== undefined && pair[1] !== (value as string)),
      );
      this.#changed();
    }

    get(name: unknown): string | null {
      return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null;
    }

    getAll(name: unknown): string[] {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
    }

    has(name: unknown, value?: unknown): boolean {
      return this.#pairs.some(
        (pair) => pair[0] === String(name) && (value === undefined || pair[1] === (value as string)),
      );
    }

    set(name: unknown, value: unknown): void {
      const key = String(name);
      const index = this.#pairs.findIndex((pair) => pair[0] === key);
      if (index === -1) this.#pairs.push([key, String(value)]);
      else {
        this.#pairs = this.#pairs.filter((pair, at) => pair[0] !== key || at === index);
        (this.#pairs[index] as Pair)[1] = String(value);
      }
      this.#changed();
    }

    sort(): void {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#changed();
    }

    forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
      for (const [name, value] of this) callback.call(self, value, name, this);
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

    [Symbol.iterator](): IterableIterator<Pair> {
      return this.entries();
    }

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
      const text = base === undefined ? service("url", String(href)) : service("url", String(href), base);
      if (typeof text !== "string") {
        const error = new TypeError("Invalid URL");
        throw Object.assign(error, { code: "ERR_INVALID_URL", input: String(href) });
      }
      this.#parts = JSON.parse(text) as string[];
    }

    static canParse(href: unknown, base?: unknown): boolean {
      return URL.parse(href, base) !== null;
    }

    static parse(href: unknown, base?: unknown): URL | null {
      try {
        return new URL(href, base);
      } catch {
        return null;
      }
    }

    static readonly read = (url: URL, index: number): string => url.#parts[index] ?? "";

    static readonly write = (url: URL, index: number, value: unknown): void => {
      const text = service("url-set", url.#parts[0], PARTS[index], String(value));
      if (typeof text !== "string") {
        if (index === 0) throw new TypeError("Invalid URL");
        return;
      }
      url.#parts = JSON.parse(text) as string[];
      if (url.#params !== undefined) reset?.(url.#params, url.#parts[9]?.slice(1) ?? "");
    };

    get searchParams(): URLSearchParams {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams(this.#parts[9] ?? "");
        onChange?.(this.#params, (query) => {
          const text = service("url-set", this.#parts[0], "search", query);
          if (typeof text === "string") this.#parts = JSON.parse(text) as string[];
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

  return { URL, URLSearchParams };
}
