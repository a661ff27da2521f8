import { compileSchema } from "@nestbox/tool";
import type { CallRequest } from "@nestbox/tool";

type Check = (input: CallRequest["input"]) => string | undefined;

/**
 * Validates arguments again after other handlers (contract B7): what is wrong, or nothing. A schema that cannot be
 * compiled validates nothing, which is itself wrong. One validator a schema, for as long as the schema lives.
 */
export function createInputCheck(): (request: CallRequest) => string | undefined {
  const checks = new WeakMap<object, Check>();
  return ({ tool, input }) => {
    if (tool.parameters === undefined) return undefined;
    let check = checks.get(tool.parameters);
    if (check === undefined) {
      check = compile(tool.parameters);
      checks.set(tool.parameters, check);
    }
    return check(input);
  };
}

function compile(schema: object): Check {
  try {
    const compiled = compileSchema(schema);
    return (input) => {
      const result = compiled.check(input);
      if (result.ok) return undefined;
      const [error] = result.errors;
      return error === undefined
        ? "the arguments do not fit the tool's schema"
        : `${error.path === "" ? "the arguments" : error.path}: ${error.message}`;
    };
  } catch {
    return () => "the tool's schema cannot be compiled, so its arguments cannot be checked";
  }
}
