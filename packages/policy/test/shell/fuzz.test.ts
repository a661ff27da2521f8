import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { analyzeCommand, type ShellFacts } from "../../src/shell/analyze.ts";
import { loadReference, referenceErrs, type ReferenceParser } from "./reference.ts";

// Generated text is parsed here and never run.

const seed = 20_261;

const name = fc.constantFrom(
  "ls",
  "rm",
  "cat",
  "git",
  "tool",
  "sh",
  "sudo",
  "xargs",
  "echo",
  "eval",
  "cd",
  "find",
  "npm",
  "env",
  "time",
  "foo",
);
const word = fc.constantFrom(
  "a",
  "-rf",
  "--force",
  "'q q'",
  '"d d"',
  "$x",
  '"$y"',
  "${z:-a}",
  "*.ts",
  "~/x",
  "a=b",
  "{a,b}",
  "-c",
  "status",
  "\\;",
  "{}",
  "-exec",
  "$'\\x41'",
  "+",
  "--",
  "1",
  "/etc/x",
  "HEAD:.env",
  "$((1+2))",
);
const redirection = fc.constantFrom(
  "> out",
  ">> out",
  "2>&1",
  "< in",
  "&> all",
  "<<< text",
  "3>&-",
  "{fd}> named",
  "> /dev/null",
);

const simple = fc
  .tuple(
    fc.option(fc.constantFrom("A=1", "PATH=x", "LC_ALL=C"), { nil: "" }),
    name,
    fc.array(word, { maxLength: 4 }),
    fc.option(redirection, { nil: "" }),
  )
  .map(([assignment, program, words, redirect]) =>
    [assignment, program, ...words, redirect].filter((part) => part !== "").join(" "),
  );

/** Scripts that the shell's grammar allows, a few levels deep. */
const script = fc.letrec<{ script: string }>((tie) => {
  const inner = tie("script");
  return {
    script: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      simple,
      fc
        .tuple(inner, fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & "), inner)
        .map(([a, joint, b]) => `${a}${joint}${b}`),
      inner.map((body) => `( ${body})`),
      inner.map((body) => `{ ${body}\n}`),
      inner.map((body) => `echo "$( ${body})"`),
      inner.map((body) => `cat <(${body})`),
      inner.map((body) => `if ${body}\nthen ${body}\nelse foo\nfi`),
      inner.map((body) => `while ${body}\ndo ${body}\ndone`),
      inner.map((body) => `for i in a b\ndo ${body}\ndone`),
      inner.map((body) => `case x in\n a) ${body}\n ;;\nesac`),
      inner.map((body) => `cat <<E\n$( ${body})\nE\n`),
      inner.map((body) => `f() {\n${body}\n}`),
      simple.map((body) => `! ${body}`),
    ),
  };
}).script;

const tokens = fc.constantFrom(
  "ls",
  "rm",
  "-rf",
  " ",
  "  ",
  "\n",
  ";",
  "&&",
  "||",
  "|",
  "&",
  "(",
  ")",
  "{",
  "}",
  "$(",
  "`",
  "'",
  '"',
  "\\",
  "$",
  "${",
  "#",
  "<",
  ">",
  "<<",
  "EOF",
  "<<-",
  ">&",
  "[[",
  "]]",
  "((",
  "))",
  "if",
  "then",
  "fi",
  "do",
  "done",
  "for",
  "in",
  "case",
  "esac",
  "=",
  "a=",
  "!",
  "*",
  "~",
  "$'",
  "\t",
  "\r",
  "\u0000",
  "\u202e",
  "é",
  "function",
  "xargs",
  "find",
  "-exec",
  "sudo",
  "bash",
  "-c",
  "eval",
  "{}",
  "2",
  "@(",
  "<(",
  "-",
  "--",
  "git",
  "push",
  "+main",
);
const soup = fc.array(tokens, { maxLength: 40 }).map((parts) => parts.join(""));
const spaced = fc.array(tokens, { maxLength: 30 }).map((parts) => parts.join(" "));

const hides: ReadonlySet<string> = new Set(["syntax", "limit", "invalid-input"]);

function covers(facts: ShellFacts, program: string): boolean {
  if (facts.doubts.some((doubt) => hides.has(doubt.kind))) return true;
  return facts.commands.some((command) => command.argv[0].value === program);
}

let reference: ReferenceParser;
beforeAll(async () => {
  reference = await loadReference();
});

describe("no text gets past the reader", () => {
  it("never throws, and says what it found as plain data", () => {
    fc.assert(
      fc.property(fc.oneof(script, soup, spaced, fc.string({ unit: "binary", maxLength: 200 })), (text) => {
        const facts = analyzeCommand(text, { cwd: "/w", home: "/home/u" });
        expect(JSON.parse(JSON.stringify(facts))).toEqual(structuredClone(facts));
        for (const command of facts.commands) expect(command.argv.length).toBeGreaterThan(0);
        for (const doubt of facts.doubts)
          expect(doubt.command ?? 0).toBeLessThanOrEqual(facts.commands.length);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it("has every command that the reference parser finds, or a doubt that stands for it", () => {
    fc.assert(
      fc.property(fc.oneof(script, script, spaced, soup), (text) => {
        fc.pre(!referenceErrs.test(text));
        const { names, clean } = reference.commandNames(text);
        fc.pre(clean);
        const facts = analyzeCommand(text, { cwd: "/w" });
        for (const program of names) expect([program, covers(facts, program)]).toEqual([program, true]);
      }),
      { seed, numRuns: 1_500 },
    );
  });

  it("keeps every word of a text that it cannot read to the end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("rm", "git", "push", "x1", "-f"), { minLength: 1, maxLength: 20 }),
        (words) => {
          const facts = analyzeCommand(`${words.join(" ")} ; "`, {});
          expect(facts.doubts.map((doubt) => doubt.kind)).toContain("syntax");
          expect(facts.rawWords).toEqual(expect.arrayContaining(words));
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it("is the same answer every time", () => {
    fc.assert(
      fc.property(fc.oneof(script, soup), (text) => {
        expect(analyzeCommand(text)).toEqual(analyzeCommand(text));
      }),
      { seed, numRuns: 300 },
    );
  });

  it("finds a command that stands after any text that it could read", () => {
    fc.assert(
      fc.property(fc.oneof(script, soup, spaced), (text) => {
        // The rest of a text with an open here-document is its body.
        fc.pre(!text.includes("<<"));
        const facts = analyzeCommand(`${text}\n\nlast-one x`);
        expect([text, covers(facts, "last-one")]).toEqual([text, true]);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  it("finds in a quoted script what it finds in the script", () => {
    fc.assert(
      fc.property(
        script,
        fc.constantFrom("bash -c", "eval", "sudo sh -c", "env -i bash -ec", "xargs sh -c"),
        (text, wrapper) => {
          const plain = analyzeCommand(text);
          fc.pre(plain.doubts.every((doubt) => doubt.kind !== "limit"));
          const quoted = analyzeCommand(`${wrapper} '${text.replaceAll("'", "'\\''")}'`);
          const found = new Set(quoted.commands.map((command) => command.program));
          for (const command of plain.commands)
            expect([text, found.has(command.program)]).toEqual([text, true]);
        },
      ),
      { seed, numRuns: 800 },
    );
  });

  it("finds behind any chain of wrappers what it finds without", () => {
    const wrapper = fc.constantFrom(
      "sudo",
      "env A=1",
      "timeout 5",
      "nice -n 3",
      "nohup",
      "xargs -n1",
      "command",
      "stdbuf -oL",
      "time -p",
      "setsid",
      "ionice -c2",
      "flock l",
      "busybox",
      "find . -exec",
      "npm exec --",
    );
    fc.assert(
      fc.property(
        fc.array(wrapper, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("rm -rf x", "git push -f", "curl -o f http://x.test"),
        (wrappers, inner) => {
          const [plain] = analyzeCommand(inner).commands;
          const last = analyzeCommand(`${wrappers.join(" ")} ${inner}`).commands.find(
            (command) => command.program === plain?.program,
          );
          expect(last?.flags).toEqual(plain?.flags);
          expect(last?.subcommand).toEqual(plain?.subcommand);
        },
      ),
      { seed, numRuns: 500 },
    );
  });
});
