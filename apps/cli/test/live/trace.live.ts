import { expect, it } from "vitest";

import { tellStory } from "./support/tell-story.ts";

const PROMISES = [
  "the page lists the runs, what they wait for, and the command that answers",
  "a run's page has its calls with their times and lines, and the wait for a person",
  "a server that is away is told, and found again without anybody's doing",
  "an answer from elsewhere and the end of the run come to the page",
  "a run is written into one file",
  "the page's server ends when it is told to",
];

it.each(["dbos", "restate"])("the page of a fleet on %s is told what it promises", (engine) => {
  const { told, stderr, status } = tellStory("trace-story.ts", engine);
  expect([told, stderr, status]).toEqual([PROMISES, "", 0]);
});
