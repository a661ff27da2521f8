/**
 * One command that starts a fleet on this machine, a server and two workers, and shows a run surviving the end of one of
 * them. Ends with exit code 1 when what it shows is not so, and leaves no process and no folder.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { findPostgres, findRestate, isMissingServer, RESTATE_MISSING } from "@nestbox/servers";

import { openHousehold } from "./fleet/household.ts";
import { inItsPlace, untilInterrupted } from "./fleet/interrupts.ts";
import { type EngineName, startServer } from "./fleet/servers.ts";
import { tellStory } from "./fleet/story.ts";

const { values } = parseArgs({
  options: { engine: { type: "string" }, "in-namespace": { type: "boolean", default: false } },
});
const began = performance.now();
const say = (message: string): void => {
  process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1).padStart(5)} s  ${message}\n`);
};

const engine = chooseEngine(values.engine);
if (engine === undefined) process.exitCode = 2;
else if (engine === "restate" && !values["in-namespace"]) process.exit(await inNamespace());
// What it was in the middle of is not waited for.
else process.exit(await show(engine));

async function show(name: EngineName): Promise<number> {
  const household = openHousehold();
  try {
    await untilInterrupted(async () => tellStory(household, await startServer(name, household, say), say));
    return 0;
  } catch (error) {
    const missing = isMissingServer(error);
    const instead = missing ? ` Or say --engine ${other(name)}.` : "";
    say(`It is not shown: ${error instanceof Error ? error.message : String(error)}${instead}`);
    return missing ? 2 : 1;
  } finally {
    await household[Symbol.asyncDispose]();
    say("all that was started has ended, and its folders are gone");
  }
}

function chooseEngine(wanted: string | undefined): EngineName | undefined {
  if (wanted === "dbos" || wanted === "restate") return wanted;
  if (wanted !== undefined) {
    say(`--engine ${wanted}: it is dbos or restate`);
    return undefined;
  }
  return findPostgres() === undefined && findRestate() !== undefined ? "restate" : "dbos";
}

function other(name: EngineName): EngineName {
  return name === "dbos" ? "restate" : "dbos";
}

/** All of it in a network namespace with nothing but loopback: the server, the workers, and this. */
async function inNamespace(): Promise<number> {
  if (process.platform !== "linux" || findRestate() === undefined) {
    say(`${RESTATE_MISSING} Or say --engine ${other("restate")}.`);
    return 2;
  }
  const live = fileURLToPath(new URL("../../../packages/restate/scripts/live.sh", import.meta.url));
  const own = [...process.execArgv, fileURLToPath(import.meta.url), "--engine", "restate", "--in-namespace"];
  return await inItsPlace("sh", [live, process.execPath, ...own]);
}
