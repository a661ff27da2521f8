import { formatBytes, formatCount, formatMs, prettyJson } from "../../model/format.ts";
import { noCallText } from "../../model/rows.ts";
import type { RunCall } from "../../model/run.ts";
import { Block, Inline } from "../shown-text.tsx";
import { activeNode, foldedParts, run, showCall, tab } from "../state.ts";
import { Effect, lastAnswer, StatusWord } from "../status.tsx";
import { Waits } from "./waits.tsx";

/** One call: what it was, how it was decided, what went in and what came out. */
export function CallPanel() {
  const node = activeNode.value;
  if (node === undefined)
    return <p class="hint">{run.value.calls.length === 0 ? noCallText(run.value) : "Choose a call."}</p>;
  const { call, parent } = node;
  return (
    <>
      <h2>
        <Inline text={call.name} />
      </h2>
      <Facts call={call}>
        {call.line !== undefined && (
          <>
            <dt>Script</dt>
            <dd>
              <button type="button" class="link" onClick={() => (tab.value = "script")}>
                line {call.line}
              </button>
            </dd>
          </>
        )}
        {parent !== undefined && (
          <>
            <dt>Called by</dt>
            <dd>
              <button type="button" class="link" onClick={() => showCall(parent)}>
                <Inline text={parent.call.name} />
              </button>
            </dd>
          </>
        )}
        {node.children.length > 0 && (
          <>
            <dt>Calls</dt>
            <dd>{formatCount(node.children.length)}</dd>
          </>
        )}
      </Facts>
      {call.waits !== undefined && <Waits waits={call.waits} />}
      <CallTexts call={call} />
    </>
  );
}

interface FactsProps {
  readonly call: RunCall;
  readonly children?: preact.ComponentChildren;
}

export function Facts({ call, children }: FactsProps) {
  const waited =
    call.durationMs === undefined || call.runMs === undefined ? 0 : Math.max(0, call.durationMs - call.runMs);
  const answer = lastAnswer(call);
  const by = call.waits?.at(-1)?.by;
  return (
    <dl class="facts-list">
      <dt>Status</dt>
      <dd>
        <StatusWord status={call.status} />
      </dd>
      <dt>Decision</dt>
      <dd>
        {call.decision === undefined ? (
          <span class="hint">none on record</span>
        ) : (
          <>
            <Effect effect={call.decision.effect} /> by <Inline text={call.decision.rule} />{" "}
            <span class="hint">
              (<Inline text={call.decision.layer} />)
            </span>
            {answer !== undefined && `, ${answer}`}
            {answer !== undefined && by !== undefined && (
              <>
                {" "}
                by <Inline text={by} />
              </>
            )}
          </>
        )}
      </dd>
      <dt>Time</dt>
      <dd>
        {call.untimed === true && `ended at ${formatMs(call.startMs)}`}
        {call.untimed !== true && (call.durationMs === undefined ? "not ended" : formatMs(call.durationMs))}
        <span class="hint">
          {call.untimed === true ? ", and when it began is not on record" : ` from ${formatMs(call.startMs)}`}
          {call.runMs !== undefined &&
            waited >= 1 &&
            `, ${formatMs(waited) === formatMs(call.durationMs ?? 0) ? "nearly all" : formatMs(waited)} of it before it ran`}
          {call.runMs === undefined && call.durationMs !== undefined && ", it did not run"}
        </span>
      </dd>
      {children}
      {call.updates > 0 && (
        <>
          <dt>Progress</dt>
          <dd>
            {formatCount(call.updates)} {call.updates === 1 ? "update" : "updates"}
          </dd>
        </>
      )}
      <dt>Id</dt>
      <dd class="code">
        <Inline text={call.id} />
      </dd>
    </dl>
  );
}

export function CallTexts({ call }: Pick<FactsProps, "call">) {
  return (
    <>
      {call.error !== undefined && (
        <Fold title="Error" open>
          <Block text={call.error} label="Error" key={call.key} />
        </Fold>
      )}
      <Fold title="Arguments" size={call.argumentBytes} open={isShort(call.arguments)}>
        <Json json={call.arguments} label="Arguments" key={call.key} />
      </Fold>
      {(call.result !== undefined || call.status === "ok") && (
        <Fold title="Result" size={call.resultBytes} open={isShort(call.result)}>
          <Json json={call.result} label="Result" key={call.key} />
        </Fold>
      )}
    </>
  );
}

/** What is longer stays folded until somebody opens it. */
const MAX_OPEN_CHARS = 1_000;

function isShort(text: string | undefined): boolean {
  return (text?.length ?? 0) <= MAX_OPEN_CHARS;
}

function Json({ json, label }: { readonly json: string | undefined; readonly label: string }) {
  if (json === undefined) return <p class="hint">Not kept in the trace.</p>;
  return <Block text={prettyJson(json)} label={label} />;
}

interface FoldProps {
  readonly title: string;
  readonly size?: number | undefined;
  /** Whether it is open before anybody has said so. */
  readonly open: boolean;
  readonly children: preact.ComponentChildren;
}

export function Fold({ title, size, open, children }: FoldProps) {
  const shown = foldedParts.value.get(title) ?? open;
  return (
    <details
      class="fold"
      open={shown}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== (foldedParts.value.get(title) ?? open))
          foldedParts.value = new Map(foldedParts.value).set(title, currentTarget.open);
      }}
    >
      <summary>
        {title}
        {size !== undefined && <span class="hint"> {formatBytes(size)}</span>}
      </summary>
      {shown && children}
    </details>
  );
}
