#!/usr/bin/env node
import { nodeProblem } from "./node-version.ts";

// Nothing else is loaded before this is known: an old Node stops at the syntax of what comes after.
const problem = nodeProblem(process.version, process.execPath);
if (problem === undefined) {
  const { main } = await import("./program.ts");
  const { createInterrupts, listenForSignals } = await import("./interrupts.ts");
  const { endProcess } = await import("./end-process.ts");
  const { watchReaders } = await import("./lost-reader.ts");
  const { tellUnfinished } = await import("./unfinished.ts");
  // `pnpm nestbox` in a checkout runs at its root; paths are relative to where it was typed.
  const { INIT_CWD, npm_lifecycle_event } = process.env;
  if (npm_lifecycle_event === "nestbox" && INIT_CWD !== undefined) process.chdir(INIT_CWD);
  const argv = process.argv.slice(2);
  const interrupts = createInterrupts();
  listenForSignals(process, interrupts);
  const { exitCodes } = await import("./exit-codes.ts");
  let unread: number | undefined;
  watchReaders(process, {
    lost() {
      unread ??= exitCodes.ok;
      interrupts.end("nobody reads what it says any more");
    },
    failed(stream, error) {
      // It may come after the command has ended.
      process.exitCode = unread = exitCodes.usage;
      if (stream === "standard output")
        process.stderr.write(`nestbox: ${stream} cannot be written (${error}).\n`);
      interrupts.end(`${stream} cannot be written`);
    },
  });
  const finished = tellUnfinished(process, process, argv.includes("--json"), interrupts.signal);
  const code = await main(argv, process, interrupts.signal, interrupts);
  finished();
  // What came to its end by itself is what it was, read or not.
  process.exitCode = unread === exitCodes.ok && code !== exitCodes.aborted ? code : (unread ?? code);
  endProcess(process);
} else {
  process.stderr.write(problem);
  process.exitCode = 5;
}
