import type { Command } from "commander";

import { type Candidate, candidates } from "../completion/candidates.ts";
import { openCatalog } from "../compose/open-catalog.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Streams } from "../output.ts";

/** Answers a shell. A failure is no answer: nobody wants to read it between two keys. */
export async function complete(
  program: Command,
  words: readonly string[],
  streams: Streams,
): Promise<number> {
  try {
    const found = await candidates(program, words, (command) =>
      // A module has all of a person's rights: pressing a key must not load one.
      command === "describe" && !words.includes("--tools") && !words.includes("--extension")
        ? reviewNames()
        : Promise.resolve([]),
    );
    for (const { value, description } of found)
      streams.stdout.write(`${value}\t${description.replaceAll(/\s+/g, " ")}\n`);
  } catch {
    return exitCodes.script;
  }
  return exitCodes.ok;
}

async function reviewNames(): Promise<readonly Candidate[]> {
  const { callable } = await openCatalog({}, () => {}, new AbortController().signal);
  const namespaces = new Map(
    callable.flatMap(({ namespace }) =>
      namespace === undefined ? [] : [[namespace.name, namespace] as const],
    ),
  );
  return [
    ...[...namespaces.values()].map(({ name }) => ({ value: name, description: "namespace" })),
    ...callable.map(({ name, label }) => ({ value: name, description: label ?? "" })),
  ];
}
