import { describe, expect, it } from "vitest";

import { explainDecision, showText } from "../../src/index.ts";
import { createMemoryFs } from "./memory-fs.ts";
import { call, engineOf, layer } from "./support.ts";

const bash = (command: string) => call("bash", { command });

describe("a decision explains itself", () => {
  it("names the one command, the one rule and the layer, with one way out (O08)", () => {
    const engine = engineOf([
      layer("managed", {
        rules: [
          {
            id: "no-rm",
            effect: "deny",
            command: { program: "rm" },
            reason: "Nothing is removed here",
            instead: "move it to trash/",
          },
        ],
      }),
      layer("user", {
        rules: [
          { id: "test", effect: "allow", command: { exact: "npm test" } },
          { id: "push", effect: "ask", command: { prefix: "git push" } },
        ],
      }),
    ]);
    const decision = engine.evaluate(bash("npm test && rm -rf dist && git push"));
    expect(decision).toMatchObject({
      effect: "deny",
      rule: "no-rm",
      layer: "managed",
      matched: "rm -rf dist",
    });
    expect(decision.modelMessage).toBe(
      "Blocked (rule no-rm, managed layer): rm -rf dist. Nothing is removed here. Instead: move it to trash/.",
    );
    expect(decision.modelMessage).not.toContain("push");
    expect(decision.parts.map(({ effect, rule }) => `${effect} ${rule}`)).toEqual([
      "allow test",
      "deny no-rm",
      "ask push",
    ]);
    // Every part of a compound stands on a line of its own.
    expect(decision.personMessage.split("\n")).toEqual([
      "Denied: bash: rm -rf dist",
      "Nothing is removed here. (rule no-rm, managed layer)",
      "  allow npm test (test)",
      "  deny  rm -rf dist (no-rm)",
      "  ask   git push (push)",
    ]);
  });

  it.each([
    ["git push -f origin main", "git push -f origin main"],
    [
      "cd x && sudo git push --force-with-lease origin HEAD:main",
      "git push --force-with-lease origin HEAD:main",
    ],
    ["git push origin +main", "git push origin +main"],
  ])("shows %s with the words that force it, as they were written", (line, written) => {
    // contract A23
    const decision = engineOf([]).evaluate(bash(line));
    expect(decision).toMatchObject({ effect: "deny", rule: "git.force-push" });
    expect(decision.matched).toContain(`(${written})`);
    expect(decision.modelMessage).toContain(written);
    expect(decision.personMessage).toContain(written);
  });

  it("says for a resource what is done to which path, and where it stands", () => {
    const engine = engineOf([
      layer("user", {
        fallback: { bash: "allow" },
        rules: [{ id: "out", effect: "deny", path: { outside: true } }],
      }),
    ]);
    expect(engine.evaluate(bash("cat a > /etc/x"))).toMatchObject({
      rule: "out",
      matched: "write /etc/x (> /etc/x)",
    });
    expect(engine.evaluate(call("read", { path: "/etc/x" }))).toMatchObject({
      rule: "out",
      matched: "read /etc/x",
    });
  });

  it("says when only a person can answer, because the leash may be meant", () => {
    const engine = engineOf([layer("user", { fallback: { bash: "allow" } })], {
      fs: createMemoryFs({ "/w/.pi/policy.jsonc": "" }),
    });
    for (const command of [
      "python3 -c \"open('.pi/policy.jsonc','w')\"",
      "git apply x.patch",
      "git checkout .",
    ]) {
      expect(engine.evaluate(bash(command))).toMatchObject({ effect: "ask", personOnly: true });
    }
    expect(engine.evaluate(bash("rm -rf .pi"))).not.toHaveProperty("personOnly");
    expect(engine.evaluate(bash("cat $F"))).not.toHaveProperty("personOnly");
  });

  it("says what the doubt is", () => {
    const decision = engineOf([layer("user", { fallback: { bash: "allow" } })]).evaluate(bash('echo "open'));
    expect(decision).toMatchObject({ effect: "ask", rule: "doubt.syntax" });
    expect(explainDecision(decision)).toContain("doubt: syntax:");
  });
});

describe("what a person sees cannot deceive (hostile 41, O02)", () => {
  it.each([
    ["\u001b[2K\r rm -rf x", "\\x1b[2K\\r rm -rf x"],
    ["a\u202egpj.exe", "a\\u{202e}gpj.exe"],
    ["a\u2066b\u2069", "a\\u{2066}b\\u{2069}"],
    ["a\u200bb\u00adc", "a\\u{200b}b\\xadc"],
    ["a\u2028b\u0085c\u0000d\u007f", "a\\u{2028}b\\x85c\\x00d\\x7f"],
    ["a\u00a0b\u3000c", "a\\xa0b\\u{3000}c"],
    ["\ud800x", "\\u{d800}x"],
    ["\u{e0041}x", "\\u{e0041}x"],
    ["äöü 漢字 🎉", "äöü 漢字 🎉"],
  ])("%j is shown as %s", (text, shown) => {
    expect(showText(text)).toBe(shown);
  });

  it("in every message of a decision", () => {
    const decision = engineOf([]).evaluate(bash("echo safe\u001b[2K\r rm -rf x"));
    for (const text of [
      decision.personMessage,
      decision.modelMessage,
      decision.matched,
      explainDecision(decision),
    ]) {
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
    expect(decision.personMessage).toContain("\\x1b[2K\\r");
  });

  it("a name of a tool is escaped as well", () => {
    const decision = engineOf([]).evaluate(call("evil\u202e\u001b[1m"));
    expect(decision.personMessage).toContain("evil\\u{202e}\\x1b[1m");
  });

  it("a long text is cut in the middle, with its real length", () => {
    const decision = engineOf([]).evaluate(bash(`echo ${"a".repeat(60_000)} end`));
    expect(decision.personMessage.length).toBeLessThan(3_000);
    expect(decision.personMessage).toMatch(/of 60009 characters left out/);
  });
});
