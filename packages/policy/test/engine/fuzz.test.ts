import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { loadReference, referenceErrs, type ReferenceParser } from "../shell/reference.ts";
import { call, engineOf, layer } from "./support.ts";

// Generated text is parsed and judged, and never run.
const word = fc.constantFrom(
  "a",
  "-l",
  "'q q'",
  '"d d"',
  "$x",
  '"$y"',
  "*.ts",
  "a=b",
  "-c",
  "\\;",
  "{}",
  "--",
  "1",
  "'rm x'",
  '"$(rm x)"',
  "`rm x`",
  "<(rm x)",
  "$(( 1 + 2 ))",
  "${z:-$(rm x)}",
  "#",
  "rm",
);
const program = fc.constantFrom(
  "ls",
  "echo",
  "rm",
  "git",
  "r\\m",
  "'rm'",
  "sudo",
  "env",
  "xargs",
  "eval",
  "bash",
  "timeout",
  "A=1",
  "!",
  "time",
  "command",
);
const simple = fc
  .tuple(program, fc.array(word, { maxLength: 3 }))
  .map(([name, words]) => [name, ...words].join(" "));
const joined = (separator: string) =>
  fc.array(simple, { minLength: 1, maxLength: 3 }).map((all) => all.join(separator));
const wrapped = fc.tuple(
  fc.constantFrom<readonly [string, string]>(
    ["( ", " )"],
    ["{ ", "; }"],
    ["if true; then ", "; fi"],
    ["for i in 1; do ", "; done"],
    ["f() { ", "; }; f"],
    ["x=$(", ")"],
    ["cat <<E\n$(", ")\nE\n"],
    ["case a in a) ", ";; esac"],
    ["", ""],
  ),
  fc.oneof(joined("; "), joined(" && "), joined(" | "), joined("\n"), joined(" & ")),
);
const script = wrapped.map(([[before, after], inner]) => before + inner + after);

describe("no allow for what the reference parser shows as a command that is not listed", () => {
  let reference: ReferenceParser;
  beforeAll(async () => {
    reference = await loadReference();
  });

  it("with only ls, echo and true allowed", () => {
    const engine = engineOf([
      layer("user", {
        rules: [{ id: "listed", effect: "allow", command: { program: ["ls", "echo", "true"] } }],
      }),
    ]);
    const listed = new Set(["ls", "echo", "true"]);
    let allowed = 0;
    fc.assert(
      fc.property(script, (text) => {
        const { effect } = engine.evaluate(call("bash", { command: text }));
        if (effect === "allow") allowed += 1;
        const { names, clean } = reference.commandNames(text);
        const strange = names.filter((name) => !listed.has(name));
        expect(effect === "allow" && clean && !referenceErrs.test(text) ? strange : []).toEqual([]);
      }),
      { numRuns: 600, seed: 412 },
    );
    // The generator makes texts that are allowed, so the property says something.
    expect(allowed).toBeGreaterThan(10);
  });

  it("a denied program that the reference shows is never allowed", () => {
    const engine = engineOf([
      layer("user", {
        fallback: { bash: "allow" },
        rules: [{ id: "no-rm", effect: "deny", command: { program: "rm" } }],
      }),
    ]);
    fc.assert(
      fc.property(script, (text) => {
        const { names, clean } = reference.commandNames(text);
        fc.pre(clean && !referenceErrs.test(text) && names.includes("rm"));
        expect(engine.evaluate(call("bash", { command: text })).effect).not.toBe("allow");
      }),
      { numRuns: 300, seed: 413 },
    );
  });
});
