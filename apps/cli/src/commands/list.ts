import { addCatalog } from "./catalog.ts";
import { addCheck } from "./check.ts";
import type { AddCommand } from "./command.ts";
import { addCompletion } from "./completion.ts";
import { addDoctor } from "./doctor.ts";
import { addFleet } from "./fleet.ts";
import { addInit } from "./init.ts";
import { addMcp } from "./mcp.ts";
import { addPolicy } from "./policy.ts";
import { addRepl } from "./repl.ts";
import { addReplay } from "./replay.ts";
import { addRun } from "./run.ts";
import { addTrace } from "./trace.ts";
import { addWorker } from "./worker.ts";

/** Every command, in the order of the help. */
export const commands: readonly AddCommand[] = [
  addRun,
  addReplay,
  addRepl,
  addCheck,
  addCatalog,
  addMcp,
  addPolicy,
  addTrace,
  addFleet,
  addWorker,
  addInit,
  addDoctor,
  addCompletion,
];
