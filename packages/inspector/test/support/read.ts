import { readRun } from "../../src/model/read-run.ts";
import type { Run } from "../../src/model/run.ts";

/** A trace as it comes out of a file. */
export function runOf(trace: unknown, name = "a.json"): Run {
  const read = readRun(name, JSON.parse(JSON.stringify(trace)));
  if (!read.ok) throw new Error(read.message);
  return read.run;
}
