import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { scriptedPiSession } from "@nestbox/tool/testing";
import { beforeAll, describe, expect, test } from "vitest";

import { limits } from "../../src/limits.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";
import review from "./extension.ts";
import { failedSteps } from "./program.ts";

const text = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const readme = text("../../README.md");

beforeAll(withProgramsOnPath);

describe("the README says what is so", () => {
  test("its code is the code that runs here", () => {
    const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
    expect(blocks).toEqual([text("extension.ts"), text("program.ts")].map((code) => code));
  });

  test("the extension registers the five tools", async () => {
    await using pi = await scriptedPiSession({ extensions: [review] });
    expect(pi.errors).toEqual([]);
    expect(pi.activeTools()).toEqual(expect.arrayContaining(["run_checks", "failing_tests", "review_diff"]));
  });

  test("the program finds the failed step", async () => {
    using repository = makeCart();
    expect(await failedSteps(repository.path)).toEqual(["typecheck"]);
  });

  test("every limit is in its table, with its value", () => {
    const stated: Record<string, number> = {};
    for (const [, names = "", values = ""] of readme.matchAll(/^\| ((?:`\w+` ?)+) *\| ([\d, ]+?) *\|/gm)) {
      const numbers = values.split(" ").map((value) => Number(value.replaceAll(",", "")));
      for (const [index, name] of names.trim().split(" ").entries())
        stated[name.slice(1, -1)] = numbers[index] ?? -1;
    }
    expect(stated).toEqual(limits);
  });
});
