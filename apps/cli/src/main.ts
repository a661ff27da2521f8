#!/usr/bin/env node
import { nodeProblem } from "./node-version.ts";

// Nothing else is loaded before this is known: an old Node stops at the syntax of what comes after.
const problem = nodeProblem(process.version, process.execPath);
if (problem === undefined) {
  const { main } = await import("./program.ts");
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
  process.once("SIGTERM", () => interrupted.abort(new Error("terminated")));
  process.exitCode = await main(process.argv.slice(2), process, interrupted.signal);
} else {
  process.stderr.write(problem);
  process.exitCode = 5;
}
