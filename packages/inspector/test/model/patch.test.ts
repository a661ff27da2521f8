import { describe, expect, it } from "vitest";

import { applyPatch, patchOf } from "../../src/model/patch.ts";
import { call, exampleTrace } from "../support/traces.ts";
import { runOf } from "../support/read.ts";

describe("a run that goes on", () => {
  it("is told by what changed, and is the same where that is applied", () => {
    const whole = exampleTrace();
    const [first, second, third, fourth] = whole.calls;
    if (!first || !second || !third || !fourth) throw new Error("the example is shorter");
    const early = {
      ...whole,
      durationMs: 900,
      script: { ...whole.script, state: "running" },
      calls: [first, { ...second, status: "running", durationMs: undefined, result: undefined }],
    };
    const late = { ...whole, calls: [first, second, third, fourth] };
    const before = runOf(early);
    const after = runOf(late);
    const patch = patchOf(0, before, after);
    if (typeof patch === "string") throw new Error(patch);
    expect(patch.calls.map(({ id }) => id)).toEqual(["run/2", "run/3", "run/4", "run/4/1", "run/4/2"]);
    expect(patch).not.toHaveProperty("script");
    expect(applyPatch(before, patch)).toEqual(after);
    expect(patchOf(0, after, runOf(late))).toBe("same");
  });

  it("is told of a script and of a decision that changed", () => {
    const whole = exampleTrace();
    const before = runOf({ ...whole, script: { ...whole.script, outcome: undefined } });
    const patch = patchOf(3, before, runOf(whole));
    expect(patch).toMatchObject({ run: 3, calls: [], script: { outcome: { ok: true } } });
    const decided = runOf({
      ...whole,
      calls: whole.calls.map((one) => ({
        ...one,
        decision: { effect: "allow", rule: "other", layer: "user" },
      })),
    });
    expect(patchOf(0, runOf(whole), decided)).toMatchObject({ calls: { length: 8 } });
  });

  it("is told of what a call's own script has output, while the call goes on", () => {
    const script = (output: readonly object[]) => ({ text: "inner", state: "running", output });
    const runWith = (output: readonly object[]) =>
      runOf({
        ...exampleTrace(),
        calls: [{ ...call("run/1", "codemode"), status: "running", script: script(output) }],
      });
    const before = runWith([]);
    const after = runWith([{ kind: "console", text: "half way" }]);
    const patch = patchOf(0, before, after);
    if (typeof patch === "string") throw new Error(patch);
    expect(patch.calls.map((one) => one.script?.output)).toEqual([[{ kind: "console", text: "half way" }]]);
    expect(applyPatch(before, patch)).toEqual(after);
  });

  it("is told anew when it has a script no more", () => {
    const { script: _script, ...without } = exampleTrace();
    expect(patchOf(0, runOf(exampleTrace()), runOf(without))).toBe("anew");
  });

  it("is told anew when it is another run", () => {
    const whole = exampleTrace();
    expect(patchOf(0, runOf(whole), runOf({ ...whole, calls: [call("other", "other")] }))).toBe("anew");
  });
});
