import { expect, it } from "vitest";

import { tellStory } from "./support/tell-story.ts";

const PROMISES = [
  "before the first worker nothing can be submitted, and it is said",
  "a run is waited for and its end printed as that of run is, with its exit code",
  "an id begins one run: sent again it is known, with another script refused",
  "a run that asks is parked, and another process approves exactly what it was shown",
  "a no ends the call and not the run, which is told",
  "a parked run is cancelled and ends as aborted, once",
  "the list has every run with its state, the newest first",
  "a log is followed to the end through a death of the server, whose absence others are told",
  "a database that is none of a fleet, and a wrong password, are told without the password",
  "the worker ends when it is told to",
];

it.each([
  ["dbos", PROMISES],
  ["restate", PROMISES.filter((promise) => !promise.startsWith("a database"))],
])("the command line keeps what it promises of a fleet on %s", { timeout: 600_000 }, (engine, promises) => {
  const { told, stderr, status } = tellStory("client-story.ts", engine);
  expect([told, stderr, status]).toEqual([promises, "", 0]);
});
