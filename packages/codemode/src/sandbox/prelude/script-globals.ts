import type { Core, CoreConfig } from "./core.ts";
import type { Primordials } from "./primordials.ts";
import type { Values } from "./values.ts";

/**
 * What the script contract names: `tools`, `ALL_TOOLS`, `ctx`, `text`, `image`, `exit`, `store`, `load` and the
 * host's own functions. None of them can be replaced on the global; a script may shadow them.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeScriptGlobals(
  P: Primordials,
  core: Core,
  values: Values,
  ask: { readonly allTools: () => string; readonly base64: (bytes: Uint8Array) => string },
  config: CoreConfig,
) {
  "use strict";
  const MAX_STORE_VALUE_CHARS = 256 * 1024;
  const MAX_STORE_TOTAL_CHARS = 1024 * 1024;
  const IMAGE_EXPECTS =
    'image expects a non-empty image URL string, an object with image_url, or an image block { type: "image", data, mimeType }';

  function global(name: string, value: unknown): void {
    if (typeof value === "function") core.define(value, "name", name, false);
    P.defineProperty(globalThis, name, core.descriptor(value, true, false));
  }

  // --- Tools ---------------------------------------------------------------------------------------------------

  function comparable(name: string): string {
    const lower = P.toLowerCase(name);
    let out = "";
    for (let i = 0; i < lower.length; i++) {
      const code = P.charCodeAt(lower, i);
      if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) out += lower[i];
    }
    return out;
  }

  /** Number of single edits between two names, at most 99. */
  function distance(a: string, b: string): number {
    if (a.length > 40 || b.length > 40) return 99;
    let previous = P.list<number>();
    for (let j = 0; j <= b.length; j++) previous[j] = j;
    for (let i = 1; i <= a.length; i++) {
      const row = P.list<number>();
      row[0] = i;
      for (let j = 1; j <= b.length; j++) {
        const change = (previous[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
        row[j] = P.mathMin(change, (previous[j] as number) + 1, (row[j - 1] as number) + 1);
      }
      previous = row;
    }
    return previous[b.length] as number;
  }

  function join(label: string, names: readonly string[], limit: number): string {
    let out = "";
    for (let i = 0; i < names.length && i < limit; i++) out += (i === 0 ? "" : ", ") + label + names[i];
    return out;
  }

  /** Names that contain the wanted one or are contained in it, or a few single edits away; nearest first. */
  function closeNames(names: readonly string[], property: string): string[] {
    const wanted = comparable(property);
    const found = P.list<{ readonly name: string; readonly rank: number }>();
    let n = 0;
    let exact = false;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const have = comparable(name);
      let rank = 100;
      if (have === wanted) {
        rank = 0;
        exact = true;
      } else if (
        wanted !== "" &&
        (P.indexOf(have, wanted) !== -1 || P.indexOf(wanted, have) !== -1) &&
        have !== ""
      )
        rank = 10;
      else if (wanted !== "" && names.length <= 2000) {
        const edits = distance(have, wanted);
        if (edits <= 2 && edits < wanted.length) rank = 20 + edits;
      }
      if (rank < 100) found[n++] = { name, rank };
    }
    const out = P.list<string>();
    let m = 0;
    for (let rank = 0; rank <= 22; rank++) {
      if (exact && rank > 0) break;
      for (let i = 0; i < n; i++) {
        const item = found[i] as { name: string; rank: number };
        if (item.rank === rank) out[m++] = item.name;
      }
    }
    return out;
  }

  /** Reading a member that does not exist throws and names what does; `in` still works. */
  function guard<T extends object>(target: T, label: string, names: readonly string[], hint: string): T {
    const handler = P.create(null) as ProxyHandler<T>;
    handler.get = (object, property, receiver) => {
      if (
        typeof property !== "string" ||
        property === "then" ||
        property === "toJSON" ||
        property in object ||
        property in P.objectPrototype
      ) {
        return P.reflectGet(object, property, receiver) as unknown;
      }
      const close = closeNames(names, property);
      let message = label + "." + property + " does not exist.";
      if (close.length > 0) message += " Did you mean " + join(label + ".", close, 5) + "?";
      else if (names.length <= 20) message += " Available: " + join("", names, 20) + ".";
      if (hint !== "") message += " " + hint;
      message += ' Check for a member with "' + property + '" in ' + label + ".";
      throw new P.TypeError(message);
    };
    return new P.Proxy(target, handler);
  }

  /** Without a name and of length 0, as in the built-in codemode. */
  const caller =
    (target: string, what: string) =>
    // oxlint-disable-next-line typescript/no-useless-default-assignment -- without it the length is 1
    (args: unknown = undefined) =>
      core.startCall(1, target, args, what);

  const tools = P.create(null) as Record<string, unknown>;
  const identifiers = P.list<string>();
  let identifierCount = 0;
  for (let i = 0; i < config.tools.length; i++) {
    const tool = config.tools[i] as readonly [string, string | null];
    const name = tool[0];
    const identifier = tool[1];
    const target = "" + i;
    const call = caller(target, "the argument of tools." + (identifier ?? name));
    if (identifier !== null) {
      identifiers[identifierCount++] = identifier;
      P.defineProperty(tools, identifier, core.descriptor(call, true, false));
    }
    // `tools` must never look like a promise, so that `await tools` ends.
    if (name !== "then" && name !== "toJSON" && !P.hasOwn(tools, name)) {
      P.defineProperty(tools, name, core.descriptor(call, true, false));
    }
  }
  P.freeze(tools);
  global(
    "tools",
    guard(
      tools,
      "tools",
      identifiers,
      "ALL_TOOLS lists every tool; searchTools(query) finds tools by topic.",
    ),
  );

  // The list carries declarations and can be large: it is fetched when it is first read.
  let allTools: unknown;
  const listDescriptor = P.create(null) as PropertyDescriptor;
  listDescriptor.get = () => {
    if (allTools === undefined) {
      const entries = P.parse(ask.allTools()) as object[];
      for (let i = 0; i < entries.length; i++) P.freeze(entries[i] as object);
      allTools = P.freeze(entries);
    }
    return allTools;
  };
  listDescriptor.set = () => undefined;
  listDescriptor.enumerable = true;
  listDescriptor.configurable = false;
  P.defineProperty(globalThis, "ALL_TOOLS", listDescriptor);

  const ctx = P.create(null) as Record<string, unknown>;
  ctx["executeTool"] = (name: unknown, args?: unknown) => {
    if (typeof name !== "string")
      throw new P.TypeError("ctx.executeTool() expects the exact name of a tool as its first argument");
    return core.startCall(2, P.stringify(name), args, "the argument of " + name);
  };
  P.freeze(ctx);
  global("ctx", guard(ctx, "ctx", P.objectKeys(ctx), ""));

  // --- Host functions ------------------------------------------------------------------------------------------

  const groups = new P.Map<string, Record<string, unknown>>();
  for (let i = 0; i < config.globals.length; i++) {
    const name = config.globals[i] as string;
    const target = "" + i;
    const call = (...args: unknown[]) => core.startCall(3, target, args, "an argument of " + name + "()");
    const dot = P.indexOf(name, ".");
    if (dot === -1) {
      global(name, call);
      continue;
    }
    const group = P.slice(name, 0, dot);
    let members = P.mapGet(groups, group) as Record<string, unknown> | undefined;
    if (members === undefined) {
      members = P.create(null) as Record<string, unknown>;
      P.mapSet(groups, group, members);
    }
    members[P.slice(name, dot + 1)] = call;
  }
  P.mapForEach(groups, ((members: object, group: string) => {
    P.freeze(members);
    global(group, guard(members, group, P.objectKeys(members), ""));
  }) as never);

  // --- Store ---------------------------------------------------------------------------------------------------

  const stored = new P.Map<string, string>() as unknown as Map<unknown, unknown>;
  const written = new P.Map<string, string | undefined>() as unknown as Map<unknown, unknown>;
  let storedChars = 0;
  function fillStore(store: Readonly<Record<string, string>>): void {
    const initial = P.objectKeys(store);
    for (let i = 0; i < initial.length; i++) {
      const key = initial[i] as string;
      const json = store[key] as string;
      P.mapSet(stored, key, json);
      storedChars += key.length + json.length;
    }
  }
  const STORE_HINT =
    "store() is for small state such as IDs or summaries. Show images with image(), keep large data in variables, or write it to a file with a tool.";

  function checkKey(name: string, key: unknown): asserts key is string {
    if (typeof key !== "string") throw new P.TypeError(name + "() key must be a string");
  }

  /** The error without its place, which is that of the call. */
  function reasonOf(error: unknown): string {
    if (typeof error !== "object" || error === null || !values.isError(error)) return core.format(error);
    const { name, message } = error as Error;
    return P.String(name) + ": " + P.String(message);
  }

  global("store", (key: unknown, value: unknown) => {
    checkKey("store", key);
    const before = P.mapGet(stored, key) as string | undefined;
    const previous = before === undefined ? 0 : key.length + before.length;
    if (value === undefined) {
      P.mapDelete(stored, key);
      storedChars -= previous;
      P.mapSet(written, key, undefined);
      return;
    }
    const label = "store(" + P.stringify(key) + ")";
    let json: string | undefined;
    try {
      const encoded = values.encode(value, { what: "the value", lenient: false });
      if (encoded.kind !== "undefined")
        json = encoded.kind === "string" ? P.stringify(encoded.text) : encoded.text;
    } catch (error) {
      throw new P.TypeError(label + " value is not JSON-serializable: " + reasonOf(error));
    }
    if (json === undefined) throw new P.TypeError(label + " value is not JSON-serializable");
    if (json.length > MAX_STORE_VALUE_CHARS) {
      throw new P.RangeError(
        label +
          " value has " +
          json.length +
          " characters of JSON, more than the limit of " +
          MAX_STORE_VALUE_CHARS +
          ". " +
          STORE_HINT,
      );
    }
    const next = storedChars - previous + key.length + json.length;
    if (next > MAX_STORE_TOTAL_CHARS) {
      throw new P.RangeError(
        "store is full: stored values would exceed " +
          MAX_STORE_TOTAL_CHARS +
          " characters of JSON. Delete keys with store(key, undefined). " +
          STORE_HINT,
      );
    }
    P.mapSet(stored, key, json);
    storedChars = next;
    P.mapSet(written, key, json);
  });

  global("load", (key: unknown) => {
    checkKey("load", key);
    const json = P.mapGet(stored, key) as string | undefined;
    return json === undefined ? undefined : (P.parse(json) as unknown);
  });

  function storeWrites(): string {
    let out = "[";
    P.mapForEach(written, ((json: string | undefined, key: string) => {
      out +=
        (out === "[" ? "[" : ",[") +
        P.stringify(key) +
        (json === undefined ? "]" : "," + P.stringify(json) + "]");
    }) as never);
    return out + "]";
  }

  // --- Output --------------------------------------------------------------------------------------------------

  global("text", (value: unknown) => {
    let rendered: string;
    if (value === undefined || value === null || (typeof value !== "object" && typeof value !== "function")) {
      rendered = P.String(value);
    } else if (typeof value === "function" && !values.hasJson(value)) {
      rendered = P.String(value);
    } else {
      const encoded = core.encode(value, "the value of text()");
      rendered =
        encoded.kind === "undefined"
          ? P.String(value)
          : encoded.kind === "string"
            ? P.stringify(encoded.text)
            : encoded.text;
    }
    core.output(4, rendered);
  });

  function isBuffer(value: unknown): value is ArrayBuffer {
    if (typeof value !== "object" || value === null) return false;
    try {
      P.bufferLength?.(value);
      return P.bufferLength !== undefined;
    } catch {
      return false;
    }
  }

  /** Bytes of their own: nothing that crosses hangs on a buffer that the script may resize or detach. */
  function bytesOf(value: unknown): Uint8Array | undefined {
    if (!P.isView(value)) return isBuffer(value) ? new P.Uint8Array(new P.Uint8Array(value)) : undefined;
    return new P.Uint8Array(new P.Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }

  function imageUrl(value: unknown): string {
    if (typeof value === "string") return value;
    if (typeof value !== "object" || value === null || P.isArray(value)) throw new P.TypeError(IMAGE_EXPECTS);
    const block = value as { image_url?: unknown; type?: unknown; data?: unknown };
    const url = block.image_url;
    if (url !== undefined) {
      if (typeof url !== "string") throw new P.TypeError(IMAGE_EXPECTS);
      return url;
    }
    const type = block.type;
    if (typeof type !== "string") throw new P.TypeError(IMAGE_EXPECTS);
    if (type !== "image") throw new P.TypeError('image only accepts image blocks, got "' + type + '"');
    const data = block.data;
    if (typeof data !== "string" || data === "") throw new P.TypeError("image expected image block data");
    return P.toLowerCase(P.slice(data, 0, 5)) === "data:" ? data : "data:;base64," + data;
  }

  /** Base64 of the first bytes of the formats that providers accept. */
  const SIGNATURES = P.list<readonly [string, RegExp]>();
  SIGNATURES[0] = ["image/png", /^iVBORw0KGg/];
  SIGNATURES[1] = ["image/jpeg", /^\/9j\/(?!9)/];
  SIGNATURES[2] = ["image/gif", /^R0lGOD[dl]h/];
  SIGNATURES[3] = ["image/webp", /^UklG.{8}RUJQ/];
  const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

  function withoutSpace(text: string): string {
    let out = "";
    let from = 0;
    for (let i = 0; i < text.length; i++) {
      const code = P.charCodeAt(text, i);
      if (code > 32 && code !== 0xa0 && code !== 0xfeff && code !== 0x2028 && code !== 0x2029) continue;
      out += P.slice(text, from, i);
      from = i + 1;
    }
    return from === 0 ? text : out + P.slice(text, from);
  }

  global("image", (value: unknown) => {
    const bytes = bytesOf(value);
    if (bytes !== undefined) {
      // The first 12 bytes tell the format; the rest crosses as it is.
      const start = new P.Uint8Array(12);
      const known = P.mathMin(12, P.typedLength?.(bytes) as number);
      for (let i = 0; i < known; i++) start[i] = bytes[i] as number;
      show(bytes, ask.base64(start));
      return;
    }
    const url = imageUrl(value);
    if (url === "") throw new P.TypeError(IMAGE_EXPECTS);
    const colon = P.indexOf(url, ":");
    const scheme = colon === -1 ? "" : P.toLowerCase(P.slice(url, 0, P.mathMin(colon, 16)));
    if (scheme === "http" || scheme === "https") {
      throw new P.TypeError(
        "remote image URLs are not supported in tool outputs. Pass a base64 data URI instead",
      );
    }
    const comma = P.indexOf(url, ",");
    const header = comma === -1 ? "" : P.toLowerCase(P.slice(url, colon + 1, comma)) + ";";
    if (scheme !== "data" || comma === -1 || P.indexOf(header, ";base64;") === -1) {
      throw new P.TypeError("invalid image output. Pass a base64 data URI instead");
    }
    const data = withoutSpace(P.slice(url, comma + 1));
    if (data.length % 4 !== 0 || P.regexpExec(BASE64, data) === null) {
      throw new P.TypeError(
        "invalid image output. The image data is not valid base64 (truncated or corrupted?)",
      );
    }
    show(data, P.slice(data, 0, 16));
  });

  function show(data: string | Uint8Array, head: string): void {
    for (let i = 0; i < 4; i++) {
      const signature = SIGNATURES[i] as readonly [string, RegExp];
      if (P.regexpExec(signature[1], head) !== null) {
        core.output(6, data, signature[0]);
        return;
      }
    }
    throw new P.TypeError("invalid image output. The image data is not a PNG, JPEG, GIF, or WebP image");
  }

  global("exit", () => core.exit());

  return { fillStore, storeWrites };
}

export type ScriptGlobals = ReturnType<typeof makeScriptGlobals>;
