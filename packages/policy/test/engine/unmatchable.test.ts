import { describe, expect, it } from "vitest";

import { parsePolicy } from "../../src/index.ts";

function problems(rule: object): string {
  const source = JSON.stringify({ version: 1, rules: [{ id: "a", effect: "deny", ...rule }] });
  const result = parsePolicy(source, { file: "user.jsonc", layer: "user" });
  return result.ok ? "loads" : result.problems.map(({ message }) => message).join("\n");
}

describe("a rule that can never hold", () => {
  it.each([
    [{ command: { program: "git push" } }, "one word each"],
    [{ command: { program: "git", subcommand: "stash drop" } }, "one word each"],
    [{ command: { program: "rm", flags: { any: "r" } } }, "begins with -"],
    [{ command: { prefix: "rm *" } }, "leave the * out"],
    [{ path: "$HOME/.ssh" }, "write ~/"],
    [{ host: "https://evil.test/x" }, "without scheme"],
    [{ host: "evil.test:80" }, "without scheme"],
    [
      { command: { program: "rm" }, except: { command: { program: "rm", flags: { any: "i" } } } },
      "begins with -",
    ],
  ])("is refused with its reason: %j", (rule, reason) => {
    expect(problems(rule)).toContain(reason);
  });

  it.each([
    [{ host: "::1" }],
    [{ host: "*.evil.test" }],
    [{ command: { exact: "ls *" } }],
    [{ command: { program: "chmod", flags: { any: "+x" } } }],
  ])("is not what this is: %j", (rule) => {
    expect(problems(rule)).toBe("loads");
  });
});
