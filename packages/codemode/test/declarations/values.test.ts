import { compileSchema } from "@nestbox/tool";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { schemaToType } from "../../src/declarations/schema-type.ts";
import { compile } from "./compile.ts";

type Schema = Readonly<Record<string, unknown>>;
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A schema together with values that are meant to fit it; what really fits, the validator says. */
interface Sample {
  readonly schema: Schema;
  readonly values: readonly Json[];
}

const key = fc.constantFrom("a", "b-c", "default", "x y", "", "1", "new", "items");
const scalar = fc.constantFrom<Json>(
  "s",
  "",
  "\u2028",
  "\ud800",
  'a"b',
  "*/",
  "`${x}`",
  0,
  1,
  -1.5,
  1e21,
  true,
  false,
  null,
);
const anything = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(key, tie("json"), { maxKeys: 3 }),
  ),
})).json;

/** Up to four values, one of each kind that the parts have. */
function combine(parts: readonly Sample[], make: (values: readonly Json[]) => Json): Json[] {
  return [0, 1, 2, 3].map((turn) => make(parts.map(({ values }) => values[turn % values.length] ?? null)));
}

const simple: fc.Arbitrary<Sample> = fc.oneof(
  fc.constantFrom<Sample>(
    { schema: { type: "string" }, values: ["x"] },
    { schema: { type: "number" }, values: [1.5] },
    { schema: { type: "boolean" }, values: [true] },
    { schema: { type: "null" }, values: [null] },
    { schema: { type: ["string", "null"] }, values: ["x", null] },
  ),
  scalar.map((value) => ({ schema: { const: value }, values: [value] })),
  fc.array(scalar, { minLength: 1, maxLength: 3 }).map((values) => ({ schema: { enum: values }, values })),
);

function closedObject(members: readonly (readonly [string, Sample])[], required: readonly string[]): Sample {
  const parts = members.map(([, part]) => part);
  const properties = Object.fromEntries(members.map(([name, part]) => [name, part.schema]));
  const own = required.filter((name) => Object.hasOwn(properties, name));
  const values = combine(parts, (list) =>
    Object.fromEntries(members.map(([name], index) => [name, list[index] ?? null])),
  );
  const least = Object.fromEntries(Object.entries(values[0] ?? {}).filter(([name]) => own.includes(name)));
  return {
    schema: { type: "object", properties, required: own, additionalProperties: false },
    values: [...values, least],
  };
}

/** Schemas of which TypeScript can say everything. */
const { exact } = fc.letrec<{ exact: Sample }>((tie) => ({
  exact: fc.oneof(
    { maxDepth: 3 },
    simple,
    tie("exact").map(({ schema, values }) => ({
      schema: { type: "array", items: schema },
      values: [[], values],
    })),
    fc.array(tie("exact"), { minLength: 1, maxLength: 3 }).map((parts) => ({
      schema: {
        type: "array",
        prefixItems: parts.map(({ schema }) => schema),
        items: false,
        minItems: parts.length,
      },
      values: combine(parts, (values) => values),
    })),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie("exact")), {
          selector: ([name]) => name,
          minLength: 1,
          maxLength: 3,
        }),
        fc.array(key),
      )
      .map(([members, required]) => closedObject(members, required)),
  ),
}));

/** Schemas of which a type can only say a part. */
const { loose } = fc.letrec<{ loose: Sample }>((tie) => ({
  loose: fc.oneof(
    { maxDepth: 4 },
    exact,
    fc.constantFrom<Sample>(
      { schema: {}, values: ["x", [1], { a: null }] },
      // Of another house than JSON Schema; the validator does not know it.
      { schema: { type: "string", nullable: true }, values: ["x"] },
      { schema: { $ref: "#/$defs/A" }, values: [null, "x", {}] },
      { schema: { $ref: "#/$defs/B" }, values: [null, 1, []] },
      { schema: { type: "integer", minimum: 1 }, values: [3] },
    ),
    fc
      .tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(tie("loose"), { minLength: 1, maxLength: 3 }))
      .map(([word, parts]) => ({
        schema: { [word]: parts.map(({ schema }) => schema), description: 'a " b\n*/' },
        values: parts.flatMap(({ values }) => values),
      })),
    fc.array(tie("loose"), { minLength: 1, maxLength: 2 }).map((parts) => ({
      schema: { allOf: parts.map(({ schema }) => schema) },
      values: parts.flatMap(({ values }) => values),
    })),
    fc
      .tuple(fc.array(tie("loose"), { minLength: 1, maxLength: 3 }), tie("loose"), fc.nat(3))
      .map(([parts, rest, least]) => ({
        schema: {
          type: "array",
          prefixItems: parts.map(({ schema }) => schema),
          items: rest.schema,
          minItems: Math.min(least, parts.length),
        },
        values: combine([...parts, rest], (values) => values).flatMap((value) =>
          Array.isArray(value) ? [value, value.slice(0, least)] : [],
        ),
      })),
    fc
      .tuple(
        fc.uniqueArray(fc.tuple(key, tie("loose")), { selector: ([name]) => name, maxLength: 3 }),
        tie("loose"),
      )
      .map(([members, other]) => {
        const { schema, values } = closedObject(
          members,
          members.slice(0, 1).map(([name]) => name),
        );
        const added = values.map((value, index) => ({
          ...(value as object),
          extra: other.values[index % other.values.length] ?? null,
        }));
        return {
          schema: { ...schema, additionalProperties: other.schema, description: "x" },
          values: [...values, ...added],
        };
      }),
    fc
      .tuple(tie("loose"), fc.array(key, { minLength: 1, maxLength: 2 }))
      .map(([{ schema, values }, names]) => ({
        schema: {
          type: "object",
          properties: { ...Object.fromEntries(names.map((name) => [name, {}])), a: schema },
          anyOf: names.map((name) => ({ required: [name] })),
          additionalProperties: false,
        },
        values: values.map((a) => ({ ...Object.fromEntries(names.map((name) => [name, a])), a })),
      })),
  ),
}));

/** Says of each value of each case whether it is assignable to the type of its schema. */
async function assignable(
  cases: readonly { readonly schema: Schema; readonly values: readonly Json[] }[],
): Promise<boolean[][]> {
  const lines: string[] = [];
  const numbers = cases.map(({ schema, values }, index) => {
    const { type, declarations } = schemaToType(schema);
    // Line ends inside of texts would count as lines of their own.
    const text = `namespace N${index} { ${declarations.join("\n")}\nexport type T = ${type};\n}`;
    lines.push(...text.replace(/[\u2028\u2029]/g, "\\u2028").split("\n"));
    return values.map((value) =>
      lines.push(`{ const v: N${index}.T = ${JSON.stringify(value).replaceAll("\u2028", "\\u2028")}; }`),
    );
  });
  const output = await compile("all.ts", `${lines.join("\n")}\nexport {};\n`);
  const wrong = new Set(
    [...output.matchAll(/^all\.ts\((\d+),\d+\): error/gm)].map((match) => Number(match[1])),
  );
  const told = new Set(numbers.flat());
  // Whatever is complained about has to be a value, and not a type of ours.
  expect([...wrong].filter((line) => !told.has(line)).map((line) => lines[line - 1])).toEqual([]);
  return numbers.map((list) => list.map((line) => !wrong.has(line)));
}

test("what a schema accepts is assignable to its type", async () => {
  const roots = fc.sample(fc.record({ root: loose, a: loose, b: loose }), { numRuns: 500, seed: 20_261_130 });
  const cases = roots.map(({ root, a, b }) => {
    const schema = { ...root.schema, $defs: { A: a.schema, B: b.schema } };
    const compiled = compileSchema(schema);
    return { schema, values: root.values.slice(0, 12).filter((value) => compiled.check(value).ok) };
  });
  expect(cases.flatMap(({ values }) => values).length).toBeGreaterThan(1_000);
  const answers = await assignable(cases);
  const refused = cases.flatMap(({ schema, values }, index) =>
    values.filter((_, at) => answers[index]?.[at] !== true).map((value) => ({ schema, value })),
  );
  expect(refused).toEqual([]);
});

test("where a type can say it all, it refuses what the schema refuses", async () => {
  const roots = fc.sample(fc.tuple(exact, fc.array(anything, { minLength: 8, maxLength: 8 })), {
    numRuns: 400,
    seed: 20_261_130,
  });
  const cases = roots.map(([{ schema, values }, others]) => {
    const nearly = values.flatMap((value) => spoil(value));
    return { schema, values: [...values, ...nearly, ...others] };
  });
  const answers = await assignable(cases);
  const verdicts = cases.flatMap(({ schema, values }, index) => {
    const compiled = compileSchema(schema);
    return values.map((value, at) => ({
      schema,
      value,
      fits: compiled.check(value).ok,
      typed: answers[index]?.[at],
    }));
  });
  expect(verdicts.filter(({ fits }) => !fits).length).toBeGreaterThan(1_000);
  expect(verdicts.filter(({ fits, typed }) => fits !== typed)).toEqual([]);
});

/** The value with one thing changed: a member more, less or of another kind. */
function spoil(value: Json): Json[] {
  if (Array.isArray(value)) return [[...value, "more"], value.slice(1)];
  if (typeof value !== "object" || value === null) return [[value]];
  const entries = Object.entries(value);
  return [
    Object.fromEntries([...entries, ["more", 1]]),
    Object.fromEntries(entries.slice(1)),
    Object.fromEntries(entries.map(([name, member], index) => [name, index === 0 ? [member] : member])),
  ];
}
