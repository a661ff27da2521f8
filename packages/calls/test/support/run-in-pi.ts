import { checkScenario, differences } from "@nestbox/calls/conformance";
import { piDriver } from "./pi-driver.ts";

// Runs one scenario in a Pi session, as a process that the session may end: run-in-pi.ts <id>
const [, , wanted] = process.argv;
const scenario = differences.find(({ id }) => id === wanted);
if (scenario === undefined) throw new Error(`No scenario ${wanted}`);
process.stdout.write("started\n");
// Without what Pi does, so that it runs at all.
const { difference: _skipped, ...asOurs } = scenario;
await checkScenario(piDriver, asOurs);
process.stdout.write("survived\n");
