import { validateToolArguments } from "@earendil-works/pi-ai";
import {
  arr,
  bool,
  int,
  lit,
  nullable,
  num,
  obj,
  oneOf,
  opt,
  recursive,
  str,
  union,
} from "@earendil-works/pi-schema";
import { compileSchema, formatSchemaErrors, type JsonObject } from "@nestbox/tool";
import * as fc from "fast-check";
import Type from "typebox";
import { describe, expect, it } from "vitest";

const schemas: readonly object[] = [
  obj({
    path: str({ minLength: 1, maxLength: 20 }),
    offset: opt(int({ minimum: 1 })),
    mode: oneOf(["text", "binary"]),
  }),
  obj({ list: arr(num()), flag: opt(bool()), choice: opt(union([int(), str()])), kind: opt(lit("a")) }),
  obj({ when: str({ format: "date-time" }), maybe: opt(nullable(str())) }, { open: true }),
  Type.Object({ a: Type.Integer(), b: Type.Optional(Type.Array(Type.Boolean())) }),
  { type: "object", properties: { x: { type: ["integer", "null"] }, y: { $ref: "#/$defs/gone" } } },
];

const piValidates = (parameters: object, args: JsonObject) => {
  try {
    const tool = { name: "t", description: "", parameters };
    const value: unknown = validateToolArguments(tool, {
      type: "toolCall",
      id: "1",
      name: "t",
      arguments: args,
    });
    return { ok: true, value };
  } catch (error) {
    return { error: (error as Error).message.split("\n\n")[0]?.replace(/^.*\n/, "") };
  }
};

describe("schemas", () => {
  it("coerce a model's arguments exactly as Pi does, and refuse what Pi refuses with the same lines", () => {
    // contract B2
    const scalar = fc.oneof(
      fc.constantFrom("1", "3.5", "true", "", "text", "null", "2026-01-01T00:00:00Z", "a"),
      fc.integer(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.constantFrom("1", 2, true), { maxLength: 3 }),
    );
    const names = fc.constantFrom(
      "path",
      "offset",
      "mode",
      "list",
      "flag",
      "choice",
      "kind",
      "when",
      "maybe",
      "a",
      "b",
      "x",
      "y",
      "extra",
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...schemas),
        fc.dictionary(names, scalar, { maxKeys: 5 }),
        (schema, args) => {
          const ours = compileSchema(schema).coerce(args);
          const told = ours.ok ? ours : { error: formatSchemaErrors(ours.errors).replace(/^/gm, "  ") };
          expect(piValidates(schema, args)).toEqual(told);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("check a value as it is, without changing it and without coercion", () => {
    const schema = compileSchema(obj({ n: num() }));
    const value = Object.freeze({ n: 1 });
    expect(schema.check(value)).toEqual({ ok: true, value: { n: 1 } });
    expect(schema.check({ n: "1" })).toEqual({
      ok: false,
      errors: [{ path: "/n", message: "expected number, got string" }],
    });
  });

  it("answer for functions and for values deeper than the stack instead of throwing", () => {
    type Tree = { children: Tree[] };
    const schema = compileSchema(recursive<Tree>("Tree", (self) => obj({ children: arr(self) })));
    let deep: unknown = { children: [] };
    for (let level = 0; level < 200_000; level += 1) deep = { children: [deep] };
    expect(schema.check(deep)).toEqual({ ok: false, errors: [{ path: "", message: "nested too deeply" }] });
    expect(schema.coerce({ children: [() => 1] }).ok).toBe(false);
  });

  it("refuse a malformed schema when it is compiled", () => {
    expect(() => compileSchema({ type: "string", pattern: "(" })).toThrow(
      expect.objectContaining({ code: "bad-schema" }),
    );
  });
});
