import { describe, expect, it } from "vitest";

import type { Effect, PartDecision } from "../../src/decision.ts";
import { strictest } from "../../src/engine/strictest.ts";
import { call, engineOf, layer } from "./support.ts";

const part = (rule: string, effect: Effect, personOnly?: true): PartDecision => ({
  effect,
  rule,
  layer: "user",
  matched: rule,
  reason: "the test says so",
  ...(personOnly === undefined ? {} : { personOnly }),
});

describe("of all that is said about a call", () => {
  it("the first of the strictest decides", () => {
    const parts = [part("a", "allow"), part("b", "ask"), part("c", "deny"), part("d", "deny")];
    expect(strictest(parts)?.rule).toBe("c");
    expect(strictest(parts.slice(0, 2))?.rule).toBe("b");
    expect(strictest([])).toBeUndefined();
  });

  it("a question that only a person answers is put before others, and below a deny", () => {
    expect(strictest([part("a", "ask"), part("b", "ask", true), part("c", "ask", true)])?.rule).toBe("b");
    expect(strictest([part("a", "deny"), part("b", "ask", true)])?.rule).toBe("a");
  });

  it("only a person answers a call of which they alone answer a part, whatever decides it", () => {
    const engine = engineOf([
      layer("user", {
        rules: [
          { id: "make", effect: "ask", command: { program: "make" } },
          { id: "mine", effect: "ask", command: { program: "deploy" }, personOnly: true },
          { id: "never", effect: "deny", command: { program: "rm" } },
        ],
      }),
    ]);
    const judged = (command: string) => engine.evaluate(call("bash", { command }));
    expect(judged("make && deploy")).toMatchObject({ effect: "ask", rule: "mine", personOnly: true });
    expect(judged("deploy && rm x")).toMatchObject({ effect: "deny", rule: "never", personOnly: true });
    expect(judged("make")).not.toHaveProperty("personOnly");
    // Where it is not known before the line runs whether the rule means it, it may.
    expect(judged("$X")).not.toHaveProperty("personOnly");
    const deep = engineOf([
      layer("user", {
        fallback: { bash: "allow" },
        rules: [
          {
            id: "mine",
            effect: "ask",
            command: { program: "deploy", operands: { like: "prod" } },
            personOnly: true,
          },
        ],
      }),
    ]);
    expect(deep.evaluate(call("bash", { command: "deploy $WHERE" }))).toMatchObject({
      effect: "ask",
      personOnly: true,
    });
    expect(deep.evaluate(call("bash", { command: "deploy test" })).effect).toBe("allow");
  });
});
