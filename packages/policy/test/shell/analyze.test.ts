import { describe, expect, it } from "vitest";

import { analyzeCommand } from "../../src/shell/analyze.ts";

describe("analyzeCommand", () => {
  it("finds the command behind a wrapper, with canonical flags and the folder it runs in", () => {
    const facts = analyzeCommand("cd sub && sudo rm -rf build", { cwd: "/w" });
    expect(facts.doubts).toEqual([]);
    expect(facts.commands.map((command) => command.program)).toEqual(["cd", "sudo", "rm"]);
    const rm = facts.commands[2];
    expect(rm?.wrappers).toEqual(["sudo"]);
    expect(rm?.flags.map((flag) => flag.name)).toEqual(["--recursive", "--force"]);
  });
});
