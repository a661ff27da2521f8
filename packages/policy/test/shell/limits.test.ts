import { describe, expect, it } from "vitest";

import { analyzeCommand } from "../../src/shell/analyze.ts";
import { defaultShellLimits } from "../../src/shell/analysis.ts";
import { analyze } from "./brief.ts";

const kinds = (text: string) => [...new Set(analyze(text).doubts.map((doubt) => doubt.kind))];

describe("a limit never turns a deny into less", () => {
  it("keeps every word of a text that is too long", () => {
    const facts = analyze(`${"true; ".repeat(20_000)}rm -rf "build"`);
    expect(facts.doubts.map((doubt) => doubt.kind)).toContain("limit");
    expect(facts.rawWords).toEqual(expect.arrayContaining(["rm", "-rf", "build"]));
    expect(facts.commands.length).toBeLessThanOrEqual(defaultShellLimits.maxCommands);
  });

  it("keeps every word of a very long text", () => {
    const facts = analyze(`${"a ".repeat(300_000)}; rm "x"`);
    expect(facts.rawWords).toEqual(expect.arrayContaining(["rm", "x"]));
  });

  it("keeps every word when there are too many commands", () => {
    const facts = analyze(`${"a;".repeat(defaultShellLimits.maxCommands)} rm x`);
    expect(facts.doubts.map((doubt) => doubt.kind)).toEqual(["limit"]);
    expect(facts.commands).toHaveLength(defaultShellLimits.maxCommands);
    expect(facts.rawWords).toContain("rm");
  });

  it("sees all commands up to the limit", () => {
    const facts = analyze(`${"a;".repeat(defaultShellLimits.maxCommands - 1)} rm x`);
    expect(facts.doubts).toEqual([]);
    expect(facts.commands.at(-1)?.program).toBe("rm");
  });

  it("stops at a depth, with a doubt", () => {
    const deep = (levels: number) => `${"echo $(".repeat(levels)}rm x${")".repeat(levels)}`;
    expect(kinds(deep(defaultShellLimits.maxDepth))).toEqual([]);
    expect(kinds(deep(defaultShellLimits.maxDepth + 1))).toEqual(["limit"]);
    expect(analyze(deep(defaultShellLimits.maxDepth + 1)).rawWords).toContain("rm");
    expect(kinds(`${"sudo ".repeat(40)}rm x`)).toEqual(["limit"]);
  });

  it("stops at a number of words, and does not let braces multiply", () => {
    expect(kinds(`rm ${"a ".repeat(defaultShellLimits.maxWords)}`)).toEqual(["limit"]);
    expect(analyze(`cat ${"{a,b}".repeat(20)}`).commands[0]?.operands).toHaveLength(1);
    expect(analyze(`cat ${"{1..64} ".repeat(2_000)}`).commands[0]?.operands.length).toBeLessThanOrEqual(
      defaultShellLimits.maxWords,
    );
  });

  it("loops in loops are read a bounded number of times", () => {
    const loops = `${"for a in 1 2 3 4; do ".repeat(12)}ls; ${"done; ".repeat(12)}`;
    expect(analyze(loops).commands.length).toBeLessThan(1_000);
  });
});

describe("every input has an answer", () => {
  const long = (unit: string) => unit.repeat(Math.floor(60_000 / unit.length));
  it.each([
    "$(",
    "`",
    "((",
    "(",
    "{ ",
    "{a,",
    "a[",
    "${x:-",
    "cat <<E\n",
    "if ",
    "[[ ( ",
    '"$(',
    "$((",
    "xargs ",
    "eval ",
    "find -exec ",
    "while cd a; do ",
    "$x;",
    "a=$((b+1));",
    "f(){ ",
    "\\",
    "'",
    "\u0000",
    "\ud800",
  ])("many times %j", (unit) => {
    const facts = analyze(long(unit));
    expect(facts.commands.length).toBeLessThanOrEqual(defaultShellLimits.maxCommands);
    expect(facts.rawWords.length + facts.doubts.length + facts.commands.length).toBeGreaterThan(0);
  });

  it("scripts in scripts do not multiply", () => {
    let text = "rm x";
    for (let level = 0; level < 12; level++) text = `bash -c ${JSON.stringify(text)}`;
    expect(text.length).toBeGreaterThan(5_000);
    const facts = analyze(text);
    expect(facts.commands.length + facts.doubts.length).toBeGreaterThan(5);
  });

  it.each([[undefined], [null], [7], [{}], [["ls"]]])("what is no text is a doubt: %j", (value) => {
    // Another handler may have put anything here.
    const facts = analyzeCommand(value as unknown as string);
    expect(facts.doubts.map((doubt) => doubt.kind)).toEqual(["invalid-input"]);
    expect(facts.commands).toEqual([]);
  });

  it("an empty text has no commands and no doubts", () => {
    expect(analyze("")).toEqual({ commands: [], resources: [], doubts: [], rawWords: [] });
    expect(analyze(" \n# nothing\n").commands).toEqual([]);
  });

  it("NUL and carriage return are told", () => {
    expect(kinds("rm\u0000 x")).toContain("invalid-input");
    expect(kinds("ls\r\nrm x")).toEqual(["syntax"]);
  });

  it.each([
    "ls ;; rm",
    ") rm",
    "ls | | rm",
    "if rm",
    "{ rm",
    "rm x )",
    "&& rm",
    "echo ${x",
    "echo $(rm",
    "'",
    "case x in",
    "echo ${ rm x",
    "${ ${ x",
    ">&-rm x",
  ])("%s is no sound script", (text) => {
    expect(kinds(text)).toContain("syntax");
  });

  it("names from the prototype are names like any other", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      const facts = analyze(`${name} ${name} --${name}=${name}; git ${name}; ${name}=1 ls`);
      expect(facts.commands[0]?.known).toBe(false);
    }
  });
});
