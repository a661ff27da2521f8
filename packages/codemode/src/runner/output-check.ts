import { compileSchema, type CompiledSchema, formatSchemaErrors, type SchemaError } from "@nestbox/tool";

/** Values of a result that are checked; a larger result is taken as it is, so that no check holds up the host. */
export const MAX_CHECKED_VALUES = 5_000;

export interface OutputCheck {
  /** Where a structured value does not fit its tool's schema, as text; undefined when it fits or was not checked. */
  (schema: object, value: unknown, known: readonly SchemaError[] | undefined): string | undefined;
}

/** Checks results against declared schemas, each schema compiled once. A schema that cannot be compiled checks nothing. */
export function createOutputCheck(): OutputCheck {
  const compiled = new WeakMap<object, CompiledSchema<unknown> | "unusable">();
  return (schema, value, known) => {
    if (known !== undefined && known.length > 0) return formatSchemaErrors(known.slice(0, 5));
    // A value that throws when it is read is told where it is read for the script: the call has run.
    const result = attempt(() => check(schema, value));
    return result === undefined || result.ok ? undefined : formatSchemaErrors(result.errors.slice(0, 5));
  };

  function check(schema: object, value: unknown): ReturnType<CompiledSchema<unknown>["check"]> | undefined {
    if (isLarge(value)) return undefined;
    let checker = compiled.get(schema);
    if (checker === undefined) {
      checker = attempt(() => compileSchema<object>(schema)) ?? "unusable";
      compiled.set(schema, checker);
    }
    return checker === "unusable" ? undefined : checker.check(value);
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isLarge(value: unknown): boolean {
  const queue: object[] = isNode(value) ? [value] : [];
  let count = 0;
  for (const item of queue) {
    const children: readonly unknown[] = Array.isArray(item) ? item : Object.values(item);
    count += children.length;
    if (count > MAX_CHECKED_VALUES) return true;
    for (const child of children) if (isNode(child)) queue.push(child);
  }
  return false;
}

/** Bytes are one value, however many they are. */
const isNode = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !ArrayBuffer.isView(value);
