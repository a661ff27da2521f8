import { readHistory } from "@nestbox/codemode/durable";

import type { FleetEngine } from "./engine.ts";

/** What somebody has answered already. Its texts are strangers'. */
export interface LastAnswer {
  readonly key: string;
  /** Name of the tool; empty where the journal cannot be read. */
  readonly name: string;
  readonly word: "approved" | "declined";
  readonly by?: string;
}

/** A question is small; what is larger is left out. */
const MAX_VALUE_BYTES = 262_144;

/** The answer to the question with this key, or the newest of the run's; `undefined`: there is none. */
export async function lastAnswer(
  engine: FleetEngine,
  runId: string,
  key: string | undefined,
): Promise<LastAnswer | undefined> {
  const history = readHistory(await engine.contents(runId, { maxValueBytes: MAX_VALUE_BYTES }));
  const answers = history.calls.flatMap(({ call, questions }) =>
    questions.flatMap(({ key: asked, decision }) =>
      decision === undefined || (key !== undefined && asked !== key)
        ? []
        : [{ key: asked, name: call?.name ?? "", decision }],
    ),
  );
  const [newest] = answers.toSorted((a, b) => (b.decision.at ?? 0) - (a.decision.at ?? 0));
  if (newest === undefined) return undefined;
  const { kind, by } = newest.decision;
  return { key: newest.key, name: newest.name, word: kind, ...(by === undefined ? {} : { by }) };
}
