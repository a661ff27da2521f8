import { formatUse } from "../../model/format.ts";
import type { LimitUse } from "../../model/run.ts";
import { Inline } from "../shown-text.tsx";
import { script } from "../state.ts";

const titles = new Map([
  ["cpu", "Processor time"],
  ["wall", "Wall time"],
  ["memory", "Memory"],
  ["calls", "Calls"],
  ["output", "Output"],
  ["paused", "Time a person was asked"],
]);
/** From here on a bar warns. */
const NEAR = 0.8;

/** What the script of the chosen call has used of each limit. */
export function LimitsPanel() {
  const limits = script.value?.limits ?? [];
  if (limits.length === 0) return <p class="hint">No limits are on record.</p>;
  return (
    <ul class="limits">
      {limits.map((limit) => (
        <Limit key={limit.name} limit={limit} />
      ))}
    </ul>
  );
}

function Limit({ limit: { name, unit, max, used } }: { readonly limit: LimitUse }) {
  const title = titles.get(name) ?? name;
  const part = max === undefined || used === undefined || max <= 0 ? undefined : used / max;
  const level = part === undefined ? "open" : part >= 1 ? "full" : part >= NEAR ? "near" : "well";
  const text = formatUse(used, max, unit);
  return (
    <li class={`limit ${level}`}>
      <span class="title">
        <Inline text={title} />
      </span>
      <span class="use">
        {text}
        {max === undefined && name !== "paused" && <span class="hint"> no limit</span>}
        {part !== undefined && <span class="hint"> {percent(part)}</span>}
      </span>
      {part !== undefined && (
        <span
          class="meter"
          role="meter"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(100, Math.round(part * 100))}
          aria-valuetext={text}
        >
          <span style={{ width: `${Math.min(100, part * 100)}%` }} />
        </span>
      )}
    </li>
  );
}

function percent(part: number): string {
  const value = part * 100;
  return value > 0 && value < 1 ? "under 1 %" : `${Math.round(value)} %`;
}
