import { statSync } from "node:fs";

import { openOutputFolder } from "@nestbox/tool/node";

import { withPeakMemory } from "./memory.ts";
import { makeFolder } from "./repository.ts";
import { reportOf } from "./run.ts";

const lint = (mebibytes: number): string => `
const line = "x".repeat(1023) + "\\n";
const block = Buffer.from(line.repeat(1024));
for (let i = 0; i < ${mebibytes}; i += 1) {
  if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}
console.log("src/a.js:3:7: error: the last line");
process.exitCode = 1;
`;

/** Runs a check that prints this much. Nothing of it is left on the disk when it resolves. */
export async function runFlood(mebibytes: number) {
  using folder = makeFolder({
    "package.json": JSON.stringify({
      name: "flood",
      private: true,
      type: "module",
      scripts: { lint: "node lint.mjs" },
    }),
    "lint.mjs": lint(mebibytes),
  });
  using place = makeFolder();
  const outputFolder = await openOutputFolder({ root: place.path });
  const { value, growthBytes } = await withPeakMemory(() =>
    reportOf("run_checks", folder.path, { only: ["lint"] }, { tools: { outputFolder } }),
  );
  const [step] = value.data.steps;
  return {
    step,
    text: value.text,
    growthBytes,
    outputFolder: place.path,
    fileBytes: statSync(step?.fullOutputPath ?? "").size,
  };
}

/** The most that the host's memory may rise by, whatever a script prints. */
export const floodMemoryBytes = 200 * 1024 ** 2;
