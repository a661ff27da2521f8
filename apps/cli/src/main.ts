#!/usr/bin/env node
import { nodeProblem } from "./node-version.ts";

// Nothing else is loaded before this is known: an old Node stops at the syntax of what comes after.
const problem = nodeProblem(process.version, process.execPath);
if (problem === undefined) {
  const { main } = await import("./program.ts");
  const { createInterrupts } = await import("./interrupts.ts");
  const interrupts = createInterrupts();
  const onInterrupt = (): void => {
    if (!interrupts.interrupt()) process.off("SIGINT", onInterrupt);
  };
  process.on("SIGINT", onInterrupt);
  process.once("SIGTERM", () => interrupts.end("terminated"));
  process.exitCode = await main(process.argv.slice(2), process, interrupts.signal, interrupts);
} else {
  process.stderr.write(problem);
  process.exitCode = 5;
}
