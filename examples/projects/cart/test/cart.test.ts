import assert from "node:assert/strict";
import { test } from "node:test";

import { total } from "../src/cart.ts";

const apples = { name: "apple", cents: 50, count: 3 };
const bread = { name: "bread", cents: 320, count: 1 };

test("an empty cart costs nothing", () => {
  assert.equal(total([]), 0);
});

test("a cart costs the sum of its lines", () => {
  assert.equal(total([apples, bread]), 470);
});
