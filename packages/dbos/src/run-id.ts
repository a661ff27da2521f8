import { DbosError } from "./errors.ts";

const RUN_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,199}$/;

/** So that it can be told from the id of a later part. */
export function checkRunId(runId: string): void {
  if (RUN_ID.test(runId)) return;
  const message =
    "A run's id is 1 to 200 letters, digits, _ . : or -, and does not begin with one of the last three";
  throw new DbosError("misuse", message);
}

/** The id of the workflow that carries a part of a run on: that of the first part is the run's own. */
export const workflowIdOf = (runId: string, part: number): string =>
  part === 1 ? runId : `${runId}#${part}`;
