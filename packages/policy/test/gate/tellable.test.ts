import { describe, expect, it } from "vitest";

import { showText } from "../../src/explain/escape.ts";
import { tellable } from "../../src/gate/tellable.ts";

const TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

describe("what the model and the record are told about a call", () => {
  // contract B10
  it("keeps a text that has no secret as it is", () => {
    for (const text of [
      "Blocked (rule git.force-push, built-in layer): force push to main (git push -f origin main).",
      showText("first\nsecond\tthird\\nfourth\r"),
      "",
    ])
      expect(tellable(text)).toBe(text);
  });

  it("says how much was cut, and keeps no half of a word beside the cut", () => {
    for (let before = 150; before <= 210; before += 1) {
      const shown = showText(`run ${"x".repeat(before)} ${TOKEN} ${"y ".repeat(300)}`);
      const told = tellable(shown);
      expect(told).toMatch(/…\[\d+ of \d+ characters left out\]…/);
      expect(told).not.toMatch(/ghp|16C7e|2912E|8B4a/);
    }
  });

  it("sees a secret behind a line end that is spelled out", () => {
    expect(tellable(showText(`run \\\n${TOKEN}\nnext`))).toBe("run \\\\n[redacted]\\nnext");
  });
});
