#!/usr/bin/env node
import { nodeProblem } from "./node-version.ts";

// Nothing else is loaded before this is known: an old Node stops at the syntax of what comes after.
const problem = nodeProblem(process.version, process.execPath);
if (problem === undefined) {
  const { main } = await import("./program.ts");
  const { createInterrupts, listenForSignals } = await import("./interrupts.ts");
  const { endProcess } = await import("./end-process.ts");
  // `pnpm nestbox` in a checkout runs at its root; paths are relative to where it was typed.
  const { INIT_CWD, npm_lifecycle_event } = process.env;
  if (npm_lifecycle_event === "nestbox" && INIT_CWD !== undefined) process.chdir(INIT_CWD);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // A reader that has seen enough (`| head`) is no failure; there is nobody left to tell anything.
      if (error.code !== "EPIPE") throw error;
      process.exit();
    });
  }
  const interrupts = createInterrupts();
  listenForSignals(process, interrupts);
  process.exitCode = await main(process.argv.slice(2), process, interrupts.signal, interrupts);
  endProcess(process);
} else {
  process.stderr.write(problem);
  process.exitCode = 5;
}
