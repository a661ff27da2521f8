import { batches } from "./scenarios-batches.ts";
import { calls } from "./scenarios-calls.ts";
import { reach } from "./scenarios-reach.ts";
import { records } from "./scenarios-records.ts";
import type { Scenario } from "./scenario.ts";

/** What every host has to do as Pi 1.6.0 does it. */
export const semantics: readonly Scenario[] = [...reach, ...calls, ...records, ...batches];
