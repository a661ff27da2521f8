/** What a run has done, as events in the order in which they were, read from its journal. */
import { type HistoryCall, readHistory, type RunHistory } from "@nestbox/codemode/durable";

import type { FleetContents, FleetStep } from "./engine.ts";

/** Times are milliseconds since the epoch; what the journal does not know is absent. */
export type RunEvent = { readonly id: string; readonly at?: number } & (
  | { readonly type: "start"; readonly deadlineMs?: number }
  | ({ readonly type: "call"; readonly durationMs?: number } & CallWords & CallEnding)
  | ({ readonly type: "asked"; readonly key: string; readonly reason?: string } & CallWords)
  | ({
      readonly type: "answered";
      readonly key: string;
      readonly answer: "approved" | "declined";
      readonly by?: string;
      readonly comment?: string;
    } & CallWords)
  | { readonly type: "cancel"; readonly reason: string }
  /** `again`: another worker was given the run; else it was halted. */
  | { readonly type: "died"; readonly worker: string; readonly again: boolean }
  | { readonly type: "end"; readonly succeeded: boolean }
);

interface CallWords {
  /** From 1, in the order in which the script made them. */
  readonly call: number;
  readonly name: string;
  /** JSON, shortened. */
  readonly arguments: string;
  readonly line?: number;
}

interface CallEnding {
  readonly status: "ok" | "error" | "denied" | "interrupted" | "large" | "running";
  /** Of a failure: what the script was told. Of a denial, the rule. */
  readonly note?: string;
}

/** In the order of their times; what has none stands behind what it follows. */
export function runEvents(contents: FleetContents): readonly RunEvent[] {
  const history = readHistory(contents);
  const large = new Map(
    contents.steps.flatMap((step) => (step.large === undefined ? [] : [[step.key, step] as const])),
  );
  const events: RunEvent[] = [];
  if (history.start !== undefined)
    events.push({
      id: "start",
      type: "start",
      at: history.start.environment.now,
      ...(history.start.deadlineMs === undefined ? {} : { deadlineMs: history.start.deadlineMs }),
    });
  const begun = new Set(contents.steps.map(({ key }) => key));
  for (const call of history.calls) events.push(...callEvents(call, large, begun));
  for (const [index, { worker, at, again }] of (contents.deaths ?? []).entries())
    events.push({ id: `died ${index}`, type: "died", worker, again, at });
  const { cancel, end } = history;
  if (cancel !== undefined)
    events.push({ id: "cancel", type: "cancel", reason: cancel.reason, ...timed(cancel.at) });
  if (end !== undefined) events.push({ id: "end", type: "end", succeeded: end.outcome.ok, ...timed(end.at) });
  else if (large.has("end"))
    events.push({
      id: "end",
      type: "end",
      succeeded: (large.get("end")?.large?.head ?? "").startsWith('{"ok":true'),
    });
  return ordered(events, history);
}

function callEvents(
  call: HistoryCall,
  large: ReadonlyMap<string, FleetStep>,
  keys: ReadonlySet<string>,
): readonly RunEvent[] {
  const last = call.questions.length + 1;
  const key = last === 1 ? String(call.number) : `${call.number}.${last}`;
  const step = large.get(key);
  const begun = keys.has(key);
  const beginning = step === undefined ? undefined : readHead(step.large?.head ?? "");
  const words: CallWords = {
    call: call.number,
    name: call.call?.name ?? beginning?.name ?? "",
    arguments: call.call?.args ?? beginning?.args ?? "",
    ...(call.call?.line === undefined ? {} : { line: call.call.line }),
  };
  const asked = call.questions.flatMap(({ key, question, askedAt, decision }): readonly RunEvent[] => {
    const reason = textAt(question, "reason");
    return [
      {
        id: `asked ${key}`,
        type: "asked",
        at: askedAt,
        key,
        ...words,
        ...(reason === undefined ? {} : { reason }),
      },
      ...(decision === undefined
        ? []
        : [
            {
              id: `answered ${key}`,
              type: "answered" as const,
              key,
              ...words,
              answer: decision.kind,
              ...(decision.by === undefined ? {} : { by: decision.by }),
              ...(decision.comment === undefined ? {} : { comment: decision.comment }),
              ...timed(decision.at),
            },
          ]),
    ];
  });
  const endedAt = call.endedAt ?? beginning?.at;
  const ending = endingOf(call, step);
  if (ending === undefined) return asked;
  const answeredAt = call.questions.at(-1)?.decision?.at;
  // Approved, and not taken up yet: of a run that is halted or has no worker.
  if (ending.status === "running" && call.questions.length > 0 && !begun) return asked;
  const durationMs =
    endedAt === undefined ||
    call.begunAt === undefined ||
    call.questions.length > 0 ||
    // When it ended nobody knows: this is when it was found.
    ending.status === "interrupted"
      ? undefined
      : endedAt - call.begunAt;
  return [
    ...asked,
    {
      id: ending.status === "running" ? `running ${call.number}` : `call ${call.number}`,
      type: "call",
      ...words,
      ...ending,
      // What was approved runs from then on, not from when it was asked about.
      ...timed(endedAt ?? answeredAt ?? call.begunAt),
      ...(durationMs === undefined ? {} : { durationMs }),
    },
  ];
}

function endingOf(call: HistoryCall, large: FleetStep | undefined): CallEnding | undefined {
  if (large?.large !== undefined) return { status: "large", note: `a result of ${large.large.bytes} bytes` };
  if (call.state === "waiting") return undefined;
  if (call.state === "interrupted")
    return { status: "interrupted", note: "its worker died inside it; it was not made again" };
  const { end } = call;
  if (end === undefined) return { status: "running" };
  if (end.kind === "thrown") return { status: "error", note: `${end.name}: ${end.message}` };
  if (end.kind === "value") return { status: "ok" };
  const { outcome } = end;
  if (outcome.decision?.effect === "deny")
    return { status: "denied", note: `${outcome.decision.rule} (${outcome.decision.layer})` };
  if (!outcome.isError) return { status: "ok" };
  const text = outcome.result.content.find((part) => part.type === "text");
  return { status: "error", ...(text === undefined ? {} : { note: text.text }) };
}

/** The beginning of a call's record whose rest is too large to be read: `{"call":{…},"from":…,"at":…`. */
export function readHead(
  head: string,
): { readonly name: string; readonly args: string; readonly at: number } | undefined {
  const [, text = "", time] = /^\{"call":(\{.*?\}),(?:"from":\d+,)?"at":(\d+),/s.exec(head) ?? [];
  try {
    const call: unknown = JSON.parse(text);
    return { name: textAt(call, "name") ?? "", args: textAt(call, "args") ?? "", at: Number(time) };
  } catch {
    return undefined;
  }
}

function ordered(events: readonly RunEvent[], { start }: RunHistory): readonly RunEvent[] {
  let last = start?.environment.now ?? 0;
  return events
    .map((event, index) => {
      last = event.at ?? last;
      return { event, index, at: event.at ?? last };
    })
    .toSorted((a, b) => rank(a.event) - rank(b.event) || a.at - b.at || a.index - b.index)
    .map(({ event }) => event);
}

/** The start is the first and the end the last, whatever the clocks of machines say. */
const rank = ({ type }: RunEvent): number => (type === "start" ? 0 : type === "end" ? 2 : 1);

const timed = (at: number | undefined): { readonly at?: number } => (at === undefined ? {} : { at });

export function textAt(record: unknown, name: string): string | undefined {
  if (typeof record !== "object" || record === null || !Object.hasOwn(record, name)) return undefined;
  const found = (record as Readonly<Record<string, unknown>>)[name];
  return typeof found === "string" ? found : undefined;
}
