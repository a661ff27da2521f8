import {
  compileSchema,
  formatSchemaErrors,
  type CallRequest,
  type CompiledSchema,
  type JsonObject,
} from "@nestbox/tool";

import { deepFreeze } from "./freeze.ts";
import { isRecord } from "../is-record.ts";
import { toPlainJson } from "./fingerprint.ts";

export type ReadInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly message: string };

export type InputReader = (tool: CallRequest["tool"], input: unknown) => ReadInput;

/**
 * Reads the arguments of a call: plain JSON, fitting the tool's own schema once more, because a handler may have
 * changed them after the host validated them (contract B7). Gives a frozen copy.
 */
export function createInputReader(): InputReader {
  // Compiling costs more than checking; a schema object is compiled once for as long as it lives.
  const compiled = new WeakMap<object, CompiledSchema<unknown>>();
  return (tool, input) => {
    const plain = toPlainJson(input);
    if (!plain.ok)
      return {
        ok: false,
        message: `the arguments of ${tool.name} are not plain data: ${plain.message}`,
      };
    if (!isRecord(plain.value))
      return { ok: false, message: `the arguments of ${tool.name} are not an object` };
    const schema = tool.parameters;
    if (schema !== undefined) {
      let check = compiled.get(schema);
      if (check === undefined) {
        const made: CompiledSchema<unknown> = compileSchema(schema);
        compiled.set(schema, made);
        check = made;
      }
      const result = check.check(plain.value);
      if (!result.ok) {
        return {
          ok: false,
          message: `the arguments of ${tool.name} no longer fit its schema:\n${formatSchemaErrors(result.errors)}`,
        };
      }
    }
    deepFreeze(plain.value);
    return { ok: true, input: plain.value };
  };
}
