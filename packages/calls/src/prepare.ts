import { formatPointer, type JsonObject, type JsonValue, type SchemaError } from "@nestbox/tool";
import type { Cancellation } from "./cancellation.ts";
import { runToolCallHandlers } from "./handlers.ts";
import type { CallSpec, HostCore } from "./host-core.ts";
import { errorText } from "./outcome.ts";
import { readArguments } from "./read-arguments.ts";
import type { Registration } from "./registry.ts";

export type Prepared =
  | { readonly kind: "ready"; readonly input: JsonObject; readonly changed: boolean }
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "blocked"; readonly reason: string; readonly terminate: boolean }
  | { readonly kind: "aborted" };

/** Characters of the received arguments that a validation error repeats. */
const maxRepeatedChars = 4_000;

/** `prepareArguments`, validation and the `tool_call` handlers; what they changed is validated again. */
export async function prepareArguments(
  core: HostCore,
  spec: CallSpec,
  registration: Registration,
  cancellation: Cancellation,
  args: JsonValue,
): Promise<Prepared> {
  let given: unknown = args;
  const { tool } = registration;
  if (tool.prepareArguments !== undefined) {
    try {
      // A copy, because what it changes in place is on record as given.
      given = tool.prepareArguments(structuredClone(args));
    } catch (error) {
      return { kind: "invalid", message: errorText(error) };
    }
  }
  const validated = validate(core, registration, given, spec.name);
  if (validated.kind === "invalid" || core.toolCallHandlers.size === 0) return validated;

  const before = JSON.stringify(validated.input);
  const handled = await runToolCallHandlers(core, spec, validated.input, cancellation);
  if (handled.kind !== "pass") return handled;
  if (cancellation.aborted) return { kind: "aborted" };
  const again = validate(core, registration, handled.input, spec.name);
  if (again.kind === "invalid") return again;
  return { ...again, changed: JSON.stringify(again.input) !== before };
}

export function validate(
  core: HostCore,
  registration: Registration,
  given: unknown,
  name: string,
): Extract<Prepared, { kind: "ready" | "invalid" }> {
  const plain = readArguments(given, core.limits);
  if (!plain.ok) {
    return {
      kind: "invalid",
      message: `Arguments of tool "${name}" are not plain JSON at ${plain.path || "root"}: ${plain.message}`,
    };
  }
  const result = registration.schema.coerce(plain.value);
  if (!result.ok) return { kind: "invalid", message: validationText(name, result.errors, plain.value) };
  // Coerced from plain JSON, so plain JSON; a schema that accepts no object is the tool's own business.
  return { kind: "ready", input: result.value as JsonObject, changed: false };
}

/** The words of Pi's argument validation, so that a model reads the same in every host. */
function validationText(name: string, errors: readonly SchemaError[], received: JsonValue): string {
  const lines = errors.map(({ path, message }) => `  - ${formatPointer(path)}: ${message}`).join("\n");
  const text = JSON.stringify(received, null, 2);
  const repeated = text.length > maxRepeatedChars ? `${text.slice(0, maxRepeatedChars)}\n[cut]` : text;
  return `Validation failed for tool "${name}":\n${lines}\n\nReceived arguments:\n${repeated}`;
}
