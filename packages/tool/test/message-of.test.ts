import { messageOf } from "@nestbox/tool";
import { expect, it } from "vitest";

it("has words for whatever was thrown", () => {
  const odd = Object.create(Error.prototype, {
    message: {
      get() {
        throw new Error("no");
      },
    },
  }) as Error;
  expect([new TypeError("broken"), "text", undefined, 7n, Symbol("s")].map(messageOf)).toEqual([
    "broken",
    "text",
    "undefined",
    "7",
    "Symbol(s)",
  ]);
  for (const thrown of [
    odd,
    Object.create(null),
    new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error("no");
        },
      },
    ),
  ])
    expect(messageOf(thrown)).toBe("Something was thrown that cannot be described");
});
