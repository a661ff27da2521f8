import { describe, expect, test } from "vitest";
import { schemaToType } from "../../src/declarations/schema-type.ts";

const type = (schema: unknown): string => schemaToType(schema).type;

describe("types are exact", () => {
  test.each<[string, unknown, string]>([
    ["string", { type: "string" }, "string"],
    ["integer", { type: "integer" }, "number"],
    ["null", { type: "null" }, "null"],
    ["anything", {}, "unknown"],
    ["true", true, "unknown"],
    ["false", false, "never"],
    ["several types", { type: ["string", "null"] }, "string | null"],
    ["nullable", { type: "string", nullable: true }, "string | null"],
    ["const", { const: { a: [1] } }, '{"a":[1]}'],
    ["enum", { enum: ["a", 1, null] }, '"a" | 1 | null'],
    ["union", { anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    ["union of one", { oneOf: [{ type: "string" }] }, "string"],
    ["impossible union", { anyOf: [false, { type: "string" }] }, "string"],
    ["array", { type: "array", items: { type: "string" } }, "Array<string>"],
    ["array of unions", { items: { type: ["string", "number"] } }, "Array<string | number>"],
    ["array of anything", { type: "array" }, "unknown[]"],
    ["optional and required", object({ b: "string", a: "number" }, ["b"]), "{ a?: number; b: string; }"],
    ["required but undescribed", object({ a: "string" }, ["a", "z"]), "{ a: string; z: unknown; }"],
    ["no properties, closed", { type: "object", additionalProperties: false }, "{}"],
    ["no properties, open", { type: "object" }, "{ [key: string]: unknown; }"],
    ["record", { type: "object", additionalProperties: { type: "number" } }, "{ [key: string]: number; }"],
    ["record by pattern", { patternProperties: { "^x": { type: "number" } } }, "{ [key: string]: number; }"],
    [
      "record beside properties",
      { ...object({ a: "string" }, []), additionalProperties: { type: "number" } },
      "{ a?: string; [key: string]: number | string | undefined; }",
    ],
    [
      "keys that are no identifiers",
      object({ "a-b": "string", "": "string" }, ["a-b", ""]),
      '{ "": string; "a-b": string; }',
    ],
    ["tuple", { prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    [
      "tuple with rest",
      { prefixItems: [{ type: "string" }], items: { type: "number" } },
      "[string, ...Array<number>]",
    ],
    [
      "tuple with optional places",
      { prefixItems: [{ type: "string" }, { type: ["number", "null"] }], minItems: 1, items: false },
      "[string, (number | null)?]",
    ],
    [
      "draft 7 tuple",
      { type: "array", items: [{ type: "string" }], additionalItems: { type: "number" } },
      "[string, ...Array<number>]",
    ],
    [
      "intersection",
      { allOf: [object({ a: "string" }, ["a"]), { anyOf: [{ type: "string" }, { type: "null" }] }] },
      "{ a: string; } & (string | null)",
    ],
    [
      "union beside properties",
      {
        ...object({ a: "string" }, ["a"]),
        anyOf: [object({ b: "string" }, ["b"]), object({ c: "string" }, ["c"])],
      },
      "({ b: string; } | { c: string; }) & { a: string; }",
    ],
  ])("%s", (_, schema, expected) => {
    expect(type(schema)).toBe(expected);
  });
});

function object(properties: Record<string, string>, required: string[]) {
  const entries = Object.entries(properties).map(([name, value]) => [name, { type: value }]);
  return { type: "object", properties: Object.fromEntries(entries), required };
}

describe("comments", () => {
  test("descriptions and bounds stand above their property", () => {
    const schema = {
      type: "object",
      properties: {
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20, description: "How many" },
        q: { type: "string", description: "Line one\nline two" },
      },
      required: ["q"],
    };
    expect(type(schema)).toBe(
      [
        "{",
        "  // How many",
        "  // @integer @minimum 1 @maximum 100 @default 20",
        "  limit?: number;",
        "  // Line one",
        "  // line two",
        "  q: string;",
        "}",
      ].join("\n"),
    );
  });

  test.each(["*/ declare const x: 1; /*", "a\nb: string;", "a\u2028b", "a\rb", "`${x}`", "// x"])(
    "a description cannot leave its comment: %j",
    (description) => {
      // hostile 17
      const lines = type({ properties: { a: { type: "string", description } } }).split(/[\n\r\u2028\u2029]/);
      expect(lines.slice(1, -2).every((line) => line.startsWith("  // "))).toBe(true);
      expect(lines.at(-2)).toBe("  a?: string;");
    },
  );

  test("an optional value keeps the bounds of its branch, exclusive flags of old drafts are read", () => {
    expect(
      type({ properties: { a: { anyOf: [{ type: "integer", minimum: 2 }, { type: "null" }], minimum: 1 } } }),
    ).toContain("// @integer @minimum 2");
    expect(type({ properties: { a: { type: "number", minimum: 1, exclusiveMinimum: true } } })).toContain(
      "// @exclusiveMinimum 1",
    );
  });

  test("a long default is left out, line ends in a pattern are escaped", () => {
    expect(type({ properties: { a: { type: "string", default: "x".repeat(200) } } })).toBe("{ a?: string; }");
    expect(type({ properties: { a: { type: "string", pattern: "a\nb" } } })).toContain(
      "// @pattern a\\u000ab",
    );
  });
});

describe("references", () => {
  // D11
  test("a recursive one is a named type", () => {
    const schema = {
      type: "object",
      properties: { root: { $ref: "#/$defs/Node" } },
      required: ["root"],
      $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
    };
    expect(schemaToType(schema)).toEqual({
      type: "{ root: Node; }",
      declarations: ["type Node = { next?: Node; };"],
    });
  });

  test("one that is used once is written out, one that recurs is named", () => {
    const item = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const once = { properties: { a: { $ref: "#/$defs/Item" } }, $defs: { Item: item } };
    expect(schemaToType(once)).toEqual({ type: "{ a?: { id: string; }; }", declarations: [] });
    const twice = {
      properties: { a: { $ref: "#/$defs/Item" }, b: { $ref: "#/$defs/Item" } },
      $defs: { Item: item },
    };
    expect(schemaToType(twice)).toEqual({
      type: "{ a?: Item; b?: Item; }",
      declarations: ["type Item = { id: string; };"],
    });
  });

  test("a schema that contains itself has a name", () => {
    const schema = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
    expect(schemaToType(schema)).toEqual({
      type: "Self",
      declarations: ["type Self = { children?: Array<Self>; };"],
    });
  });

  test("names are identifiers, unlike built-in ones, and carry the prefix", () => {
    const schema = {
      properties: { a: { $ref: "#/definitions/my%20type" }, b: { $ref: "#/definitions/my%20type" } },
      definitions: { "my type": { type: "string" } },
    };
    expect(schemaToType(schema, { typePrefix: "search_" }).type).toBe(
      "{ a?: search_my_20type; b?: search_my_20type; }",
    );
    const builtIn = {
      anyOf: [{ $ref: "#/$defs/Array" }, { $ref: "#/$defs/Array" }],
      $defs: { Array: { type: "string" } },
    };
    expect(schemaToType(builtIn).type).toBe("Array_");
  });

  test("what cannot be resolved is unknown, and nothing recurs for ever", () => {
    expect(type({ $ref: "https://example.test/schema" })).toBe("unknown");
    expect(type({ $ref: "#/$defs/missing" })).toBe("unknown");
    expect(type({ $ref: "#/__proto__/x" })).toBe("unknown");
    const loop = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } };
    expect(schemaToType(loop).declarations.join()).not.toMatch(/type A = (?!unknown)/);
    const deep = JSON.parse(`${'{"items":'.repeat(500)}{}${"}".repeat(500)}`);
    expect(type(deep)).toContain("unknown");
  });
});

describe("a schema that was made to cost time", () => {
  const chain = (length: number, last: unknown) =>
    Object.fromEntries([
      ...Array.from({ length }, (_, index) => {
        const next = { $ref: `#/$defs/C${index + 1}` };
        return [`C${index}`, { properties: { x: next, y: next } }];
      }),
      [`C${length}`, last],
    ]);
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => make(i));

  test("references that double at every step, behind more than get a name", () => {
    const wide = Object.fromEntries(many(70, (index) => [`A${index}`, { type: "string" }]));
    const twice = many(70, (index) => ({ $ref: `#/$defs/A${index}` }));
    const $defs = { ...wide, ...chain(40, { type: "string" }) };
    const { type: text } = schemaToType({ prefixItems: [...twice, ...twice, { $ref: "#/$defs/C0" }], $defs });
    expect(text.length).toBeLessThan(2_000_000);
  });

  test("references that are first met where nothing is read any more", () => {
    let deep: unknown = { $ref: "#/$defs/C0" };
    for (let depth = 0; depth < 45; depth++) deep = { items: deep };
    const schema = {
      properties: { a: deep, b: { $ref: "#/$defs/C0" } },
      $defs: chain(40, { const: "x".repeat(1_000) }),
    };
    const { type: text, declarations } = schemaToType(schema);
    expect(text.length + declarations.join("").length).toBeLessThan(2_000_000);
  });

  test.each<[string, unknown]>([
    ["variants", { anyOf: many(300_000, () => ({})) }],
    ["parts", { allOf: many(300_000, (index) => ({ const: index })) }],
    [
      "variants behind a name",
      {
        properties: { a: { $ref: "#/$defs/X" }, b: { $ref: "#/$defs/X" } },
        $defs: { X: { anyOf: many(300_000, () => ({})) } },
      },
    ],
    ["required members", { required: many(300_000, (index) => `r${index}`) }],
    ["members", { properties: Object.fromEntries(many(200_000, (index) => [`p${index}`, {}])) }],
    [
      "kinds",
      {
        type: many(100_000, () => "object"),
        properties: Object.fromEntries(many(100, (index) => [`p${index}`, {}])),
      },
    ],
    [
      "descriptions",
      {
        properties: Object.fromEntries(
          many(1_000, (index) => [`p${index}`, { description: "x".repeat(1_000_000) }]),
        ),
      },
    ],
    [
      "constants",
      {
        patternProperties: Object.fromEntries(
          many(1_000, (index) => [`p${index}`, { const: `${"x".repeat(100_000)}${index}` }]),
        ),
      },
    ],
  ])("very many %s", (_, schema) => {
    expect(type(schema).length).toBeLessThan(4_000_000);
  });
});

test("a quotation mark in a comment changes nothing of the type beside it", () => {
  const size = { type: "object", properties: { a: { type: "string", description: 'up to 5" wide' } } };
  const union = { anyOf: [size, { type: "null" }] };
  const named = { type: "object", properties: { b: { const: '"' } }, required: ["b"] };
  expect(type({ allOf: [union, named] })).toBe(
    '({\n  // up to 5" wide\n  a?: string;\n} | null) & { b: "\\""; }',
  );
});

test("no type is called what a type must not be called", () => {
  for (const word of ["package", "case", "switch", "static", "for", "yield", "private", "Array"]) {
    const ref = { $ref: `#/$defs/${word}` };
    const { declarations } = schemaToType({ prefixItems: [ref, ref], $defs: { [word]: { type: "string" } } });
    expect(declarations).toEqual([`type ${word}_ = string;`]);
  }
});

test("a type over its budget loses its tags, then becomes unknown", () => {
  const schema = { properties: { a: { type: "integer", minimum: 1, maximum: 2 } } };
  expect(schemaToType(schema).type).toContain("@minimum");
  expect(schemaToType(schema, { maxChars: 20 }).type).toBe("{ a?: number; }");
  expect(schemaToType(schema, { maxChars: 5 }).type).toBe("unknown");
});

test("the same schema gives the same text, whatever the order of its keys", () => {
  // contract A25
  const a = { properties: { x: { type: "string" }, y: { type: "number" } }, required: ["x"] };
  const b = { required: ["x"], properties: { y: { type: "number" }, x: { type: "string" } } };
  expect(type(a)).toBe(type(b));
});
