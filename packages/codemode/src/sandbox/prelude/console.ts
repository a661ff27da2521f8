import type { Core } from "./core.ts";
import type { Primordials } from "./primordials.ts";

/**
 * `console` in full. Every line is one console item of the output; arguments are joined with spaces, as Pi does it,
 * and `%` sequences are left as they are.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeConsole(P: Primordials, core: Core, clock: () => number): void {
  "use strict";
  const MAX_LABELS = 1000;
  const MAX_TABLE_ROWS = 1000;
  let indent = "";
  const counts = new P.Map<string, number>() as unknown as Map<unknown, unknown>;
  const timers = new P.Map<string, number>() as unknown as Map<unknown, unknown>;
  const console = P.create(P.objectPrototype) as Record<string, unknown>;

  function joined(args: readonly unknown[], from: number): string {
    let line = "";
    for (let i = from; i < args.length; i++) line += (i === from ? "" : " ") + core.format(args[i]);
    return line;
  }

  function write(line: string): void {
    if (indent === "") {
      core.output(5, line);
      return;
    }
    let out = indent;
    let from = 0;
    for (let at = P.indexOf(line, "\n"); at !== -1; at = P.indexOf(line, "\n", from)) {
      out += P.slice(line, from, at + 1) + indent;
      from = at + 1;
    }
    core.output(5, out + P.slice(line, from));
  }

  const add = (name: string, fn: (...args: unknown[]) => void): void => core.define(console, name, fn, true);
  const log = (...args: unknown[]): void => write(joined(args, 0));
  const labelOf = (value: unknown): string => (value === undefined ? "default" : P.String(value));
  const room = (map: Map<unknown, unknown>, key: string): boolean => {
    if (P.mapHas(map, key)) return true;
    return (P.mapSize?.(map) as number) < MAX_LABELS;
  };

  add("log", log);
  add("info", log);
  add("warn", log);
  add("error", log);
  add("debug", log);
  add("dirxml", log);
  add("dir", (value) => write(core.format(value)));
  add("trace", (...args) => write("Trace" + (args.length === 0 ? "" : ": " + joined(args, 0))));
  add("assert", (condition, ...args) => {
    if (condition !== true && !condition)
      write("Assertion failed" + (args.length === 0 ? "" : ": " + joined(args, 0)));
  });
  add("clear", () => undefined);
  add("group", (...args) => {
    if (args.length > 0) write(joined(args, 0));
    if (indent.length < 40) indent += "  ";
  });
  core.define(console, "groupCollapsed", console["group"], true);
  add("groupEnd", () => {
    indent = P.slice(indent, 2);
  });
  add("count", (label) => {
    const key = labelOf(label);
    if (!room(counts, key)) return;
    const next = ((P.mapGet(counts, key) as number | undefined) ?? 0) + 1;
    P.mapSet(counts, key, next);
    write(key + ": " + next);
  });
  add("countReset", (label) => {
    P.mapDelete(counts, labelOf(label));
  });
  add("time", (label) => {
    const key = labelOf(label);
    if (room(timers, key)) P.mapSet(timers, key, clock());
  });
  const elapsed = (label: unknown, args: readonly unknown[], end: boolean): void => {
    const key = labelOf(label);
    const started = P.mapGet(timers, key) as number | undefined;
    if (started === undefined) {
      write("Timer '" + key + "' does not exist");
      return;
    }
    const ms = P.mathFloor((clock() - started) * 1000) / 1000;
    const rest = args.length > 1 ? " " + joined(args, 1) : "";
    write(key + ": " + ms + "ms" + rest);
    if (end) P.mapDelete(timers, key);
  };
  add("timeEnd", (label) => elapsed(label, P.list(), true));
  add("timeLog", (...args) => elapsed(args[0], args, false));
  add("timeStamp", () => undefined);
  add("table", (data, columns) => {
    const text = table(data, columns);
    write(text ?? core.format(data));
  });

  /** Entries of a Map or items of a Set as rows; undefined for anything else. */
  function collection(
    data: object,
  ): { readonly keys: unknown[] | undefined; readonly rows: unknown[] } | undefined {
    const rows = P.list<unknown>();
    let n = 0;
    try {
      const keys = P.list<unknown>();
      P.mapForEach(data, (item: unknown, key: unknown) => {
        keys[n] = key;
        rows[n++] = item;
      });
      return { keys, rows };
    } catch {
      // No Map.
    }
    try {
      P.setForEach(data, (item: unknown) => {
        rows[n++] = item;
      });
      return { keys: undefined, rows };
    } catch {
      return undefined;
    }
  }

  /** An object with columns of its own; a Date or a Map has none and is printed as it is. */
  function isRow(row: unknown): row is Record<string, unknown> {
    if (typeof row !== "object" || row === null) return false;
    if (P.objectKeys(row).length > 0) return true;
    const text = core.format(row);
    return text === "{}" || text === "[]";
  }

  /** Rows under column names, cells separated by ` | `; a value that is not an object is printed as it is. */
  function table(data: unknown, columns: unknown): string | undefined {
    if (typeof data !== "object" || data === null) return undefined;
    const entries = collection(data);
    const source = (entries?.rows ?? data) as Record<string, unknown>;
    const rowKeys = P.objectKeys(source);
    const names = P.list<string>();
    let nameCount = 0;
    const known = new P.Map<string, number>() as unknown as Map<unknown, unknown>;
    const addColumn = (name: string): void => {
      if (P.mapHas(known, name) || nameCount >= 50) return;
      P.mapSet(known, name, nameCount);
      names[nameCount++] = name;
    };
    const rows = P.mathMin(rowKeys.length, MAX_TABLE_ROWS);
    let plain = false;
    if (P.isArray(columns))
      for (let i = 0; i < columns.length && i < 50; i++) addColumn(P.String(columns[i]));
    for (let i = 0; i < rows; i++) {
      const row = source[rowKeys[i] as string];
      if (!isRow(row)) plain = true;
      else if (!P.isArray(columns)) {
        const keys = P.objectKeys(row);
        for (let k = 0; k < keys.length; k++) addColumn(keys[k] as string);
      }
    }
    let out = entries === undefined ? "(index)" : "(iteration index)";
    if (entries?.keys !== undefined) out += " | Key";
    for (let i = 0; i < nameCount; i++) out += " | " + names[i];
    if (plain) out += " | Values";
    for (let i = 0; i < rows; i++) {
      const row = source[rowKeys[i] as string];
      out += "\n" + rowKeys[i];
      if (entries?.keys !== undefined) out += " | " + core.format(entries.keys[i]);
      const isObject = isRow(row);
      for (let k = 0; k < nameCount; k++) {
        const name = names[k] as string;
        out += " | " + (isObject && P.hasOwn(row, name) ? core.format(row[name]) : "");
      }
      if (plain) out += " | " + (isObject ? "" : core.format(row));
    }
    if (rowKeys.length > rows) out += "\n… " + (rowKeys.length - rows) + " more rows";
    return out;
  }

  P.defineProperty(globalThis, "console", core.descriptor(P.freeze(console), true, false));
}
