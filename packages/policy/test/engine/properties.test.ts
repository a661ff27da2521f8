import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallRequest, JsonObject } from "@nestbox/tool";

import { parsePolicy, type Effect, type PolicyLayer } from "../../src/index.ts";
import { createMemoryFs } from "./memory-fs.ts";
import { call, engineOf, layer } from "./support.ts";

// Generated text is judged and never run.
const weight: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };
const fs = createMemoryFs({
  "/w/src/a.ts": "",
  "/w/.env": "",
  "/w/l": { link: "/home/u/.ssh" },
  "/home/u/.ssh/id_rsa": "",
  "/w/.pi/settings.json": "",
});

const program = fc.constantFrom(
  "rm",
  "ls",
  "git",
  "cat",
  "npm",
  "echo",
  "sudo",
  "xargs",
  "curl",
  "./x.sh",
  "foo",
);
const word = fc.oneof(
  program,
  fc.constantFrom(
    "-rf",
    "-f",
    "push",
    "--force",
    "status",
    ".env",
    "src/a.ts",
    "../x",
    "/etc/hosts",
    "l/id_rsa",
    "$X",
    '"$(rm -rf b)"',
    "*",
    ".pi/settings.json",
    "'",
    ">",
    "<",
    "http://x.test",
    "main",
    "+main",
  ),
);
const separator = fc.constantFrom(" && ", "; ", " | ", " || ", "\n", " & ", " > ");
const simple = fc
  .tuple(program, fc.array(word, { maxLength: 4 }))
  .map(([first, rest]) => [first, ...rest].join(" "));
const shell = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.tuple(simple, separator), { minLength: 1, maxLength: 4 })
      .map((all) => all.flat().slice(0, -1).join("")),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 80 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);
const path = fc.oneof(
  fc.constantFrom(
    "src/a.ts",
    ".env",
    "l/id_rsa",
    "../x",
    "/etc/hosts",
    "~/.ssh/x",
    ".pi/policy.jsonc",
    "new",
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);
const request: fc.Arbitrary<CallRequest> = fc.oneof(
  shell.map((command) => call("bash", { command })),
  fc
    .tuple(fc.constantFrom("read", "write", "edit", "ls", "grep", "find"), path)
    .map(([tool, where]) => call(tool, { path: where })),
  fc
    .tuple(fc.constantFrom("x", "mcp__a__b", "codemode"), fc.constantFrom("a", "b"))
    .map(([tool, server]) => call(tool, {}, { source: { kind: "mcp", server } })),
);

const subject = fc.oneof(
  program.map((name) => ({ command: { program: name } })),
  // A prefix that ends in `*` is refused.
  simple.map((words) => ({ command: { prefix: words.replace(/( \*)+$/, "").split(" ") } })),
  fc.constantFrom<JsonObject>(
    { command: { exact: "npm test" } },
    { command: { program: "*" } },
    { command: { program: "rm", flags: { any: "-r" } } },
    { command: { program: "git", subcommand: "push" } },
  ),
  fc.constantFrom<JsonObject>(
    { path: "**" },
    { path: { outside: true } },
    { path: { outside: false } },
    { path: ".env" },
    { path: { glob: "src/**", action: "write" } },
    { path: "~/.ssh" },
  ),
  fc.constantFrom<JsonObject>(
    { host: "x.test" },
    { ref: { force: true } },
    { ref: { name: "main" } },
    { tool: "*" },
    { tool: "bash" },
    { tool: { server: "a" } },
  ),
);
const effect = fc.constantFrom<Effect>("allow", "ask", "deny");
const rules = fc
  .array(fc.record({ effect, subject }), { maxLength: 6 })
  .map((all) => all.map((one, index) => ({ id: `r${index}`, effect: one.effect, ...one.subject })));
const fallback = fc.constantFrom<JsonObject>({}, { bash: "allow" }, { "*": "allow" }, { bash: "ask" });

const decide = (layers: readonly PolicyLayer[], one: CallRequest): Effect =>
  engineOf(layers, { fs }).evaluate(one).effect;
const user = (all: readonly object[], more: object = {}): PolicyLayer =>
  layer("user", { ...more, rules: all });
const runs = { numRuns: 150, seed: 9_041 };

describe("for any policy and any call", () => {
  it("an added allow never turns a deny into less", () => {
    fc.assert(
      fc.property(rules, fallback, subject, request, (all, fall, extra, one) => {
        const before = decide([user(all, { fallback: fall })], one);
        const after = decide(
          [user([...all, { id: "extra", effect: "allow", ...extra }], { fallback: fall })],
          one,
        );
        expect(before === "deny" ? after : "deny").toBe("deny");
        expect(weight[after]).toBeLessThanOrEqual(weight[before]);
      }),
      runs,
    );
  });

  it("an added ask or deny never loosens", () => {
    fc.assert(
      fc.property(
        rules,
        fallback,
        subject,
        fc.constantFrom<Effect>("ask", "deny"),
        fc.constantFrom("managed", "user", "project"),
        request,
        (all, fall, extra, strict, name, one) => {
          const base = user(all, { fallback: fall });
          const before = decide([base], one);
          const after = decide(
            [base, layer(name, { rules: [{ id: "extra", effect: strict, ...extra }] })],
            one,
          );
          expect(weight[after]).toBeGreaterThanOrEqual(weight[before]);
        },
      ),
      runs,
    );
  });

  it("the order of rules and layers does not matter", () => {
    fc.assert(
      fc.property(rules, rules, fallback, request, (mine, theirs, fall, one) => {
        const managed = layer("managed", { rules: theirs });
        const before = decide([managed, user(mine, { fallback: fall })], one);
        expect(decide([user(mine.toReversed(), { fallback: fall }), managed], one)).toBe(before);
        expect(
          decide([user(mine, { fallback: fall }), layer("managed", { rules: theirs.toReversed() })], one),
        ).toBe(before);
      }),
      runs,
    );
  });

  it("a project never loosens, whatever it says", () => {
    fc.assert(
      fc.property(rules, rules, fallback, fallback, request, (mine, theirs, fall, other, one) => {
        const before = decide([user(mine, { fallback: fall })], one);
        const project = layer("project", {
          fallback: other,
          trust: { mcpServers: ["a", "b"], programFolders: ["/opt/bin"], env: ["X"] },
          tools: { x: { transparent: true } },
          rules: theirs,
        });
        expect(weight[decide([user(mine, { fallback: fall }), project], one)]).toBeGreaterThanOrEqual(
          weight[before],
        );
      }),
      runs,
    );
  });

  it("a compound is at most as free as each of its commands", () => {
    fc.assert(
      fc.property(
        rules,
        fallback,
        simple,
        simple,
        fc.constantFrom("; ", " && ", " || ", " | ", "\n"),
        (all, fall, first, second, between) => {
          const layers = [user(all, { fallback: fall })];
          // A quote or redirection that is left open, or a change of folder, makes another command of what follows.
          const quotes = (text: string) => (text.match(/'/g) ?? []).length % 2;
          fc.pre(
            quotes(first) === 0 && quotes(second) === 0 && !/[<>]\s*$/.test(first) && !/^\s*cd\b/.test(first),
          );
          const whole = weight[decide(layers, call("bash", { command: first + between + second }))];
          expect(whole).toBeGreaterThanOrEqual(weight[decide(layers, call("bash", { command: first }))]);
          expect(whole).toBeGreaterThanOrEqual(weight[decide(layers, call("bash", { command: second }))]);
        },
      ),
      runs,
    );
  });

  it("nothing throws, and no leash file is written, whatever is allowed", () => {
    const open = [
      user(
        [
          { id: "all", effect: "allow", tool: "*" },
          { id: "any", effect: "allow", path: "/**" },
          { id: "cmd", effect: "allow", command: { program: "*" } },
        ],
        { fallback: { "*": "allow" } },
      ),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom("echo x > ", "tee ", "rm -f ", "cp a ", "sed -i s/a/b/ ", "ln -s a "),
        fc.constantFrom("", "./", "src/../", "/w/", "../w/", "'", "\\"),
        fc.constantFrom(".pi/settings.json", ".pi/extensions/x.ts", ".PI/policy.jsonc", ".nestbox/x"),
        (before, prefix, target) => {
          const quote = prefix === "'" ? "'" : "";
          expect(decide(open, call("bash", { command: `${before}${prefix}${target}${quote}` }))).toBe("deny");
        },
      ),
    );
    fc.assert(
      fc.property(request, (one) => {
        expect(["allow", "ask", "deny"]).toContain(decide(open, one));
      }),
      runs,
    );
  });

  it("a policy file of any text is read or refused, never thrown about", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 200 }), fc.json(), fc.string({ unit: "binary", maxLength: 200 })),
        (source) => {
          const result = parsePolicy(source, { file: "f", layer: "user" });
          expect(result.ok || result.problems.length > 0).toBe(true);
        },
      ),
      runs,
    );
  });
});
