import * as fc from "fast-check";
import { expect, test } from "vitest";
import { schemaToType } from "../../src/declarations/schema-type.ts";
import { compile } from "./compile.ts";

const name = fc.oneof(
  fc.constantFrom("a", "b-c", "default", "$ref", "constructor", "*/", "\u2028", ""),
  fc.string(),
);

const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(
      true,
      {},
      { type: "string" },
      { type: "integer", minimum: 1 },
      { type: ["null", "number"] },
    ),
    fc.record({ const: fc.jsonValue() }),
    fc.record({ enum: fc.array(fc.jsonValue(), { maxLength: 3 }) }),
    fc.record({
      $ref: fc.constantFrom("#", "#/$defs/A", "#/$defs/B", "#/nowhere", "https://example.test/x"),
    }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }), nullable: fc.boolean() }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }), description: fc.string() }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({
      prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
      items: tie("schema"),
      minItems: fc.nat(3),
    }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 4 }),
        required: fc.array(name, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
        description: fc.string({ unit: "binary" }),
      },
      { requiredKeys: ["type"] },
    ),
  ),
}));

test("the type of any schema is TypeScript, and is the same every time", async () => {
  const roots = fc.sample(fc.record({ root: schema, a: schema, b: schema }), {
    numRuns: 250,
    seed: 20_260_726,
  });
  const text = roots
    .map(({ root, a, b }, index) => {
      const whole = { ...(typeof root === "object" ? root : {}), $defs: { A: a, B: b } };
      const { type, declarations } = schemaToType(whole);
      expect(schemaToType(JSON.parse(JSON.stringify(whole)))).toEqual({ type, declarations });
      return `declare namespace N${index} {\n${declarations.join("\n")}\ntype T = ${type};\n}`;
    })
    .join("\n");
  expect(await compile("all.d.ts", text)).toBe("");
});
