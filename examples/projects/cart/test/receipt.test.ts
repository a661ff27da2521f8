import assert from "node:assert/strict";
import { test } from "node:test";

import { receipt } from "../src/receipt.ts";

test("a receipt ends with the total", () => {
  assert.match(receipt([{ name: "apple", cents: 50, count: 3 }]), /Total 1\.50$/);
});
