import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { scaleText } from "../src/scale/scale.ts";

const COMMAND = "npx -y pnpm@12 bench scale ";
const page = readFileSync(fileURLToPath(new URL("../../../docs/scale.md", import.meta.url)), "utf8");
/** A block of commands with the block of text that comes next. */
const shown = [...page.matchAll(/```sh\n((?:(?!```)[^])*?)```\n\n```text\n([^]*?)```/g)].flatMap(
  ([, commands = "", text = ""]) => {
    const lines = commands.replaceAll("\\\n", "").split("\n");
    const command = lines.find((line) => line.startsWith(COMMAND));
    return command === undefined ? [] : [{ args: command.slice(COMMAND.length).trim(), text }];
  },
);

it("the page shows what the simulation says of both engines", () => {
  for (const engine of ["dbos", "restate"])
    expect(shown.some(({ args }) => args.includes(engine))).toBe(true);
});

// All of it is reckoning: how long that takes is the machine's.
it.each(shown)("bench scale $args", { timeout: 600_000 }, ({ args, text }) => {
  expect(scaleText(args.split(/\s+/))).toBe(text.trimEnd());
});
