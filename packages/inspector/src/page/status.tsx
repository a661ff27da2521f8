import type { CallStatus, Decision, RunCall } from "../model/run.ts";

const marks: Readonly<Record<CallStatus, string>> = {
  ok: "✓",
  error: "✗",
  denied: "⊘",
  cancelled: "–",
  waiting: "‖",
  halted: "!",
  running: "…",
};

/** How a call stands: a mark with a colour, and the word for those who see neither. */
export function StatusMark({ status }: { readonly status: CallStatus }) {
  return (
    <span class={`mark ${status}`}>
      <span aria-hidden="true">{marks[status]}</span>
      <span class="unseen">{status} </span>
    </span>
  );
}

export function StatusWord({ status }: { readonly status: CallStatus }) {
  return (
    <span class={`word ${status}`}>
      <span aria-hidden="true">{marks[status]} </span>
      {status}
    </span>
  );
}

export function Effect({ effect }: Pick<Decision, "effect">) {
  return <span class={`effect ${effect}`}>{effect}</span>;
}

/** What a person said to what a rule asked; undefined: nobody was asked, or nobody has answered. */
export function lastAnswer({ decision, waits }: RunCall): "approved" | "declined" | undefined {
  return decision?.effect === "ask" ? waits?.at(-1)?.decision : undefined;
}
