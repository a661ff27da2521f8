import { useEffect, useMemo, useRef } from "preact/hooks";

import { callStatuses, type CallStatus } from "../../model/run.ts";
import { type ScriptOwner, scriptOf, type TreeNode } from "../../model/tree.ts";
import { pieces } from "../shown-text.tsx";
import { activeNode, run, scriptOwner, scriptOwners, showLine, tree } from "../state.ts";

/** Lines that are laid out; a longer script is cut. */
const MAX_LINES = 5_000;
const worst: readonly CallStatus[] = ["waiting", "denied", "error", "cancelled", "running", "ok"];

/**
 * The script that the chosen call ran or belongs to, or one that is asked for; a line that made calls leads to them, and
 * a chosen call marks its line.
 */
export function ScriptPanel({ owner = scriptOwner.value }: { readonly owner?: ScriptOwner }) {
  const script = scriptOf(run.value, tree.value, owner);
  const text = script?.text ?? "";
  const lines = useMemo(() => text.split(/\r?\n/), [text]);
  const chosen = activeNode.value;
  // The line of a call is one of the script that made it.
  const active =
    chosen !== undefined && (chosen.parent?.within ?? null) === owner ? chosen.call.line : undefined;
  const failed = script?.outcome?.error?.line;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    list.current?.querySelector(".active")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const made = tree.value.byLine.get(owner);
  const number = scriptOwners.value.indexOf(owner) + 1;
  return (
    <>
      {scriptOwners.value.length > 1 && (
        <p class="hint">
          Script {number} of {scriptOwners.value.length}
        </p>
      )}
      <ol class="script" ref={list} aria-label="Lines of the script">
        {lines.slice(0, MAX_LINES).map((line, index) => (
          <Line
            key={index}
            text={line}
            number={index + 1}
            calls={made?.get(index + 1)}
            owner={owner}
            active={active === index + 1}
            failed={failed === index + 1}
          />
        ))}
      </ol>
      {lines.length > MAX_LINES && <p class="hint">{lines.length - MAX_LINES} more lines</p>}
    </>
  );
}

interface LineProps {
  readonly text: string;
  readonly number: number;
  readonly calls: readonly TreeNode[] | undefined;
  readonly owner: ScriptOwner;
  readonly active: boolean;
  readonly failed: boolean;
}

function Line({ text, number, calls, owner, active, failed }: LineProps) {
  const state = `${active ? " active" : ""}${failed ? " failed" : ""}`;
  if (calls === undefined)
    return (
      <li class={`source${state}`}>
        <span class="number">{number}</span>
        <span class="made" />
        <code>{pieces(text, true)}</code>
        {failed && <span class="unseen"> the script failed here</span>}
      </li>
    );
  const status = worst.find((one) => calls.some(({ call }) => call.status === one)) ?? callStatuses[0];
  return (
    <li class={`source calling${state}`} onClick={() => showLine(number, owner)}>
      <button
        type="button"
        class={`number ${status ?? ""}`}
        aria-current={active ? "true" : undefined}
        aria-label={`Line ${number}, ${calls.length} ${calls.length === 1 ? "call" : "calls"}: show the next`}
      >
        {number}
      </button>
      <span class="made" aria-hidden="true">
        {calls.length > 1 && `${calls.length}×`}
      </span>
      <code>{pieces(text, true)}</code>
    </li>
  );
}
