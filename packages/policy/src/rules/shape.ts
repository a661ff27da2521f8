import { nearestName } from "@nestbox/tool";
import type { Node } from "jsonc-parser";

/** Collects what is wrong, with the offset of the node that is. */
export interface ReadContext {
  problem(node: Node, message: string): void;
}

/** One description of a value serves twice: it reads the JSONC tree, and it is the published JSON Schema. */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /** The value, or `undefined` after at least one problem was told. */
  read(node: Node, context: ReadContext): T | undefined;
}

export interface JsonSchema {
  readonly [key: string]: unknown;
}

export type ShapeOf<S> = S extends Shape<infer T> ? T : never;

export function text(
  options: { readonly pattern?: RegExp; readonly description?: string; readonly max?: number } = {},
): Shape<string> {
  const { pattern, description, max = 4_096 } = options;
  return {
    schema: {
      type: "string",
      minLength: 1,
      maxLength: max,
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
      ...(description === undefined ? {} : { description }),
    },
    read(node, context) {
      const value: unknown = node.value;
      if (node.type !== "string" || typeof value !== "string")
        return refuse(node, context, "expected a text");
      if (value === "") return refuse(node, context, "the text is empty");
      if (value.length > max) return refuse(node, context, `the text is longer than ${max} characters`);
      if (pattern !== undefined && !pattern.test(value))
        return refuse(node, context, `${JSON.stringify(value)} is not of the form ${pattern.source}`);
      return value;
    },
  };
}

export function flag(description?: string): Shape<boolean> {
  return {
    schema: { type: "boolean", ...(description === undefined ? {} : { description }) },
    read(node, context) {
      const value: unknown = node.value;
      return node.type === "boolean" && typeof value === "boolean"
        ? value
        : refuse(node, context, "expected true or false");
    },
  };
}

export function count(min: number, max: number, description?: string): Shape<number> {
  return {
    schema: {
      type: "integer",
      minimum: min,
      maximum: max,
      ...(description === undefined ? {} : { description }),
    },
    read(node, context) {
      const value: unknown = node.value;
      if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
      return refuse(node, context, `expected a whole number from ${min} to ${max}`);
    },
  };
}

export function oneOf<const T extends string | number | boolean>(
  values: readonly T[],
  description?: string,
  /** What is wrong with another value, as it is shown. */
  problem = (shown: string): string =>
    `${shown} is not one of ${values.map((value) => JSON.stringify(value)).join(", ")}`,
): Shape<T> {
  return {
    schema: { enum: values, ...(description === undefined ? {} : { description }) },
    read(node, context) {
      const raw: unknown = node.value;
      const found =
        node.type === "object" || node.type === "array" ? undefined : values.find((value) => value === raw);
      return found ?? refuse(node, context, problem(show(node)));
    },
  };
}

export function list<T>(
  item: Shape<T>,
  options: { readonly min?: number; readonly description?: string } = {},
): Shape<readonly T[]> {
  const min = options.min ?? 1;
  return {
    schema: {
      type: "array",
      items: item.schema,
      minItems: min,
      ...(options.description === undefined ? {} : { description: options.description }),
    },
    read(node, context) {
      if (node.type !== "array") return refuse(node, context, "expected a list");
      const nodes = node.children ?? [];
      if (nodes.length < min) return refuse(node, context, "the list is empty");
      const items: T[] = [];
      for (const child of nodes) {
        const value = item.read(child, context);
        if (value !== undefined) items.push(value);
      }
      return items.length === nodes.length ? items : undefined;
    },
  };
}

/** One value or a list of them; read as a list. */
export function oneOrMore<T>(item: Shape<T>, description?: string): Shape<readonly T[]> {
  const many = list(item);
  return {
    schema: { anyOf: [item.schema, many.schema], ...(description === undefined ? {} : { description }) },
    read(node, context) {
      if (node.type === "array") return many.read(node, context);
      const value = item.read(node, context);
      return value === undefined ? undefined : [value];
    },
  };
}

/** A value that has to hold what its type cannot say: `problem` tells why it does not. */
export function checked<T>(shape: Shape<T>, problem: (value: T) => string | undefined): Shape<T> {
  return {
    schema: shape.schema,
    read(node, context) {
      const value = shape.read(node, context);
      const message = value === undefined ? undefined : problem(value);
      return message === undefined ? value : refuse(node, context, message);
    },
  };
}

/** An object with free keys. */
export function record<T>(value: Shape<T>, description?: string): Shape<Readonly<Record<string, T>>> {
  return {
    schema: {
      type: "object",
      additionalProperties: value.schema,
      ...(description === undefined ? {} : { description }),
    },
    read(node, context) {
      const out = new Map<string, T>();
      const whole = eachProperty(node, context, (key, child) => {
        const read = value.read(child, context);
        if (read !== undefined) out.set(key, read);
        return read !== undefined;
      });
      // fromEntries defines own properties, so a key such as __proto__ is data like any other.
      return whole ? Object.fromEntries(out) : undefined;
    },
  };
}

/** The first kind of JSON value that fits decides which shape reads it. */
export function either<A, B>(
  first: { readonly when: (node: Node) => boolean; readonly shape: Shape<A> },
  second: Shape<B>,
  description?: string,
): Shape<A | B> {
  return {
    schema: {
      anyOf: [first.shape.schema, second.schema],
      ...(description === undefined ? {} : { description }),
    },
    read: (node, context) =>
      first.when(node) ? first.shape.read(node, context) : second.read(node, context),
  };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;
type ObjectOf<F extends Fields, R extends keyof F> = { readonly [K in R]: ShapeOf<F[K]> } & {
  readonly [K in Exclude<keyof F, R>]?: ShapeOf<F[K]>;
};

/** An object with exactly these keys; an unknown one is refused, never ignored. */
export function object<F extends Fields, const R extends keyof F & string = never>(
  fields: F,
  options: {
    readonly required?: readonly R[];
    readonly description?: string;
    readonly check?: (keys: readonly string[]) => string | undefined;
  } = {},
): Shape<ObjectOf<F, R>> {
  const required: readonly string[] = options.required ?? [];
  const known = Object.keys(fields);
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(known.map((key) => [key, fields[key]?.schema])),
      additionalProperties: false,
      ...(required.length === 0 ? {} : { required }),
      ...(options.description === undefined ? {} : { description: options.description }),
    },
    read(node, context) {
      const out = new Map<string, unknown>();
      const whole = eachProperty(node, context, (key, child, keyNode) => {
        const shape = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (shape === undefined) {
          const meant = nearestName(key, known);
          const mean = meant === undefined ? "" : ` (did you mean ${JSON.stringify(meant)}?)`;
          context.problem(
            keyNode,
            `unknown key ${JSON.stringify(key)}${mean}; known here: ${known.join(", ")}`,
          );
          return false;
        }
        const value = shape.read(child, context);
        if (value !== undefined) out.set(key, value);
        return value !== undefined;
      });
      if (!whole) return undefined;
      const missing = required.find((key) => !out.has(key));
      if (missing !== undefined)
        return refuse(node, context, `the key ${JSON.stringify(missing)} is missing`);
      const wrong = options.check?.([...out.keys()]);
      if (wrong !== undefined) return refuse(node, context, wrong);
      // Each value was read by the shape of its own key, and the required ones are there.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return Object.fromEntries(out) as ObjectOf<F, R>;
    },
  };
}

function eachProperty(
  node: Node,
  context: ReadContext,
  visit: (key: string, value: Node, keyNode: Node) => boolean,
): boolean {
  if (node.type !== "object") {
    context.problem(node, "expected an object");
    return false;
  }
  const seen = new Set<string>();
  let whole = true;
  for (const property of node.children ?? []) {
    const [keyNode, valueNode] = property.children ?? [];
    const key: unknown = keyNode?.value;
    if (keyNode === undefined || valueNode === undefined || typeof key !== "string") {
      context.problem(property, "expected a key and a value");
      whole = false;
      continue;
    }
    if (seen.has(key)) {
      context.problem(keyNode, `the key ${JSON.stringify(key)} stands here twice`);
      whole = false;
      continue;
    }
    seen.add(key);
    if (!visit(key, valueNode, keyNode)) whole = false;
  }
  return whole;
}

function refuse(node: Node, context: ReadContext, message: string): undefined {
  context.problem(node, message);
  return undefined;
}

function show(node: Node): string {
  if (node.type === "object") return "an object";
  if (node.type === "array") return "a list";
  return JSON.stringify(node.value) ?? "nothing";
}
