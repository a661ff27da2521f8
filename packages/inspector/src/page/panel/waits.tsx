import { formatMoment, formatMs } from "../../model/format.ts";
import { hasEnded } from "../../model/fleet.ts";
import type { CallWait } from "../../model/run.ts";
import { Command } from "../command.tsx";
import { Block, Inline } from "../shown-text.tsx";
import { run } from "../state.ts";

/** What a person was asked about a call, for how long it waited, and what they said. */
export function Waits({ waits }: { readonly waits: readonly CallWait[] }) {
  return (
    <>
      {waits.map((wait, index) => (
        <Wait key={`${index} ${wait.key}`} wait={wait} />
      ))}
    </>
  );
}

function Wait({ wait }: { readonly wait: CallWait }) {
  const { standing, startedAt } = run.value;
  const { fromMs, toMs, decision, by, comment, reason, rule, layer, lines, key } = wait;
  const over = standing !== undefined && hasEnded(standing.state);
  const asked = startedAt === undefined ? "" : formatMoment(Date.parse(startedAt) + fromMs);
  return (
    <section class="question" aria-label={`Question ${key}`}>
      <h3>
        {decision === undefined
          ? over
            ? "Nobody answered"
            : "Waits for a person"
          : decision === "approved"
            ? "Approved"
            : "Declined"}
        {by !== undefined && (
          <>
            {" "}
            by <Inline text={by} />
          </>
        )}
      </h3>
      <p class="hint">
        Asked {asked === "" ? `at ${formatMs(fromMs)}` : asked}
        {rule !== undefined && (
          <>
            {" "}
            by <Inline text={rule} />
          </>
        )}
        {layer !== undefined && (
          <>
            {" "}
            (<Inline text={layer} />)
          </>
        )}
        {toMs !== undefined && `, waited ${formatMs(toMs - fromMs)}`}
      </p>
      {reason !== undefined && (
        <p>
          <Inline text={reason} />
        </p>
      )}
      {comment !== undefined && comment !== "" && (
        <blockquote>
          <Inline text={comment} />
        </blockquote>
      )}
      {lines.length > 0 && <Block text={lines.join("\n")} label={`What question ${key} shows`} />}
      {decision === undefined && standing !== undefined && !over && (
        <Command words={standing.approveWith} args={[standing.id, key]} />
      )}
    </section>
  );
}
