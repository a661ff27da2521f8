import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

const story = fileURLToPath(new URL("support/trace-story.ts", import.meta.url));
const namespace = fileURLToPath(new URL("../../../../packages/restate/scripts/live.sh", import.meta.url));

const PROMISES = [
  "the page lists the runs, what they wait for, and the command that answers",
  "a run's page has its calls with their times and lines, and the wait for a person",
  "a server that is away is told, and found again without anybody's doing",
  "an answer from elsewhere and the end of the run come to the page",
  "a run is written into one file",
  "the page's server ends when it is told to",
];

it.each(["dbos", "restate"])("the page of a fleet on %s is told what it promises", (engine) => {
  const words = ["--conditions=@nestbox/source", "--no-warnings", story, engine];
  const [program, args] =
    engine === "restate" ? ["sh", [namespace, process.execPath, ...words]] : [process.execPath, words];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  expect([stdout.trimEnd().split("\n"), stderr, status]).toEqual([PROMISES, "", 0]);
});
