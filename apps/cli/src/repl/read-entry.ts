import { type AnyNode, parse, type Pattern, type Program } from "acorn";
import { transformSync } from "amaro";

export type Entry =
  | {
      readonly kind: "ready";
      /** Body of a sloppy async function; what it declares at the top it leaves on the global object. */
      readonly code: string;
      /** What it declares. */
      readonly names: readonly string[];
    }
  /** More lines are needed. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "wrong"; readonly message: string };

/** Makes of what was typed what the loop evaluates, so that the next entry finds what this one declares. */
export function readEntry(source: string): Entry {
  // An object, not a block: whoever wants a block ends it with a semicolon.
  const object = /^\s*\{[^]*\}\s*$/.test(source) ? parsed(`(${source})`) : undefined;
  if (object?.ok === true) return rewrite(object.source, object.program);
  const plain = parsed(source);
  if (plain.ok) return rewrite(plain.source, plain.program);
  const typed = withoutTypes(source);
  const stripped = typed === undefined ? undefined : parsed(typed);
  if (stripped?.ok === true) return rewrite(stripped.source, stripped.program);
  return plain.atEnd ? { kind: "incomplete" } : { kind: "wrong", message: plain.message };
}

type Parsed =
  | { readonly ok: true; readonly source: string; readonly program: Program }
  | { readonly ok: false; readonly message: string; readonly atEnd: boolean };

function parsed(source: string): Parsed {
  try {
    const program = parse(source, {
      ecmaVersion: "latest",
      sourceType: "script",
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
    });
    return { ok: true, source, program };
  } catch (error) {
    const { message, pos } = error as Error & { readonly pos?: number };
    const atEnd = (pos ?? 0) >= source.trimEnd().length || /^Unterminated (template|comment)/.test(message);
    return { ok: false, message, atEnd };
  }
}

function withoutTypes(source: string): string | undefined {
  try {
    return transformSync(source, { mode: "strip-only" }).code;
  } catch {
    return undefined;
  }
}

function rewrite(source: string, program: Program): Entry {
  const names: string[] = [];
  const hoisted: string[] = [];
  const text = (node: { readonly start: number; readonly end: number }): string =>
    source.slice(node.start, node.end);
  const statements = program.body.map((node, index): string => {
    const last = index === program.body.length - 1;
    switch (node.type) {
      case "VariableDeclaration": {
        const parts = node.declarations.map(({ id, init }) => {
          names.push(...namesOf(id));
          if (init != null) return `(${text(id)} = ${text(init)})`;
          // `var x;` keeps what x is.
          return node.kind === "var"
            ? `(globalThis.${text(id)} = globalThis.${text(id)})`
            : `(${text(id)} = undefined)`;
        });
        return `${parts.join(", ")};`;
      }
      case "FunctionDeclaration":
        names.push(node.id.name);
        hoisted.push(`globalThis.${node.id.name} = ${node.id.name};`);
        return text(node);
      case "ClassDeclaration":
        names.push(node.id.name);
        return `${node.id.name} = ${text(node)};`;
      case "ExpressionStatement":
        return last ? `return (${text(node.expression)});` : `${text(node)};`;
      default:
        return text(node);
    }
  });
  // The empty statement in front keeps a string from being a directive.
  return { kind: "ready", code: [";", ...hoisted, ...statements].join("\n"), names };
}

function namesOf(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case "RestElement":
      return namesOf(pattern.argument);
    case "AssignmentPattern":
      return namesOf(pattern.left);
    default:
      return unknownPattern(pattern);
  }
}

function unknownPattern(_node: AnyNode): readonly string[] {
  return [];
}
