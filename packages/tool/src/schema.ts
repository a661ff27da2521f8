import { compile } from "@earendil-works/pi-schema";
import { formats } from "@earendil-works/pi-schema/formats";
import type { Static } from "@earendil-works/pi-schema";
import { ToolError } from "./error.ts";

/** One failure of a value. */
export interface SchemaError {
  /** JSON Pointer to the failing value; `""` is the value itself. */
  readonly path: string;
  /** What was expected. */
  readonly message: string;
}

export type SchemaResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** A compiled JSON Schema. Neither method throws, and neither changes its input. */
export interface CompiledSchema<T> {
  /** Whether the value fits as it is. */
  check(value: unknown): SchemaResult<T>;
  /** Converts loosely typed input the way Pi does with a model's arguments, then checks: `"42"` fits a number. */
  coerce(value: unknown): SchemaResult<T>;
}

/** At most this many errors are reported for one value. */
const maxSchemaErrors = 32;

/**
 * Compiles a JSON Schema (pi-schema's builders, TypeBox or a plain object) with the options of Pi's argument
 * validation: formats are checked, and a `$ref` that names nothing refuses only the values at its place.
 * Throws a `ToolError` with code `bad-schema` when the schema is malformed.
 */
export function compileSchema<const S extends object>(schema: S): CompiledSchema<Static<S>> {
  const validator = compileOrThrow(schema);
  const finish = (read: () => unknown): SchemaResult<Static<S>> => {
    try {
      const result = validator.validate(read());
      if (result.ok) return result;
      return {
        ok: false,
        errors: result.errors.slice(0, maxSchemaErrors).map(({ path, message }) => ({ path, message })),
      };
    } catch (error) {
      // A recursive schema walks the value with the stack, and a copy refuses functions: both are the value's fault.
      const message = error instanceof RangeError ? "nested too deeply" : "cannot be read as plain data";
      return { ok: false, errors: [{ path: "", message }] };
    }
  };
  return {
    check: (value) => finish(() => value),
    coerce: (value) => finish(() => validator.coerce(structuredClone(value))),
  };
}

function compileOrThrow<S extends object>(schema: S) {
  try {
    return compile<S>(schema, { formats, coerce: true, unresolvedRefs: "reject" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolError("bad-schema", `The schema cannot be compiled: ${why}`, { cause: error });
  }
}

/** Errors as the lines a model reads: `- edits.0.oldText: missing`. */
export function formatSchemaErrors(errors: readonly SchemaError[]): string {
  return errors.map(({ path, message }) => `- ${formatPointer(path)}: ${message}`).join("\n");
}

/** A JSON Pointer as a dotted path; the value itself is `root`. */
export function formatPointer(pointer: string): string {
  if (pointer === "") return "root";
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");
}
