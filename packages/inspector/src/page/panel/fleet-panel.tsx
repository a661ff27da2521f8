import { formatAge, formatMoment, formatMs } from "../../model/format.ts";
import { activeEntry, fleet, now } from "../fleet-state.ts";
import { Command } from "../command.tsx";
import { RunStateWord } from "../run-state.tsx";
import { Block, Inline } from "../shown-text.tsx";
import type { OpenQuestion } from "../../model/fleet.ts";

/** One run of the list: how it stands, and what it waits for. */
export function FleetPanel() {
  const run = activeEntry.value;
  return (
    <section class="panel single" aria-label="The chosen run">
      <div class="content" tabIndex={0} role="region" aria-label="Details of the run">
        {run === undefined ? (
          <p class="hint">Choose a run.</p>
        ) : (
          <>
            <h2>
              <Inline text={run.id} />
            </h2>
            <dl class="facts-list">
              <dt>State</dt>
              <dd>
                <RunStateWord state={run.state} />
              </dd>
              {run.message !== undefined && (
                <>
                  <dt>Because</dt>
                  <dd>
                    <Inline text={run.message} />
                  </dd>
                </>
              )}
              {run.createdAt !== undefined && (
                <>
                  <dt>Submitted</dt>
                  <dd>
                    {formatMoment(run.createdAt)}
                    <span class="hint"> {formatAge(now.value - run.createdAt)} ago</span>
                  </dd>
                </>
              )}
              {run.endedAt !== undefined && (
                <>
                  <dt>Ended</dt>
                  <dd>
                    {formatMoment(run.endedAt)}
                    {run.createdAt !== undefined && (
                      <span class="hint">
                        {" "}
                        after {formatMs(Math.max(0, run.endedAt - run.createdAt))} in all
                      </span>
                    )}
                  </dd>
                </>
              )}
              {run.wakeAt !== undefined && (
                <>
                  <dt>Goes on</dt>
                  <dd>
                    {formatMoment(run.wakeAt)} <span class="hint">by itself</span>
                  </dd>
                </>
              )}
              {run.worker !== undefined && (
                <>
                  <dt>Worker</dt>
                  <dd>
                    <Inline text={run.worker} />
                  </dd>
                </>
              )}
            </dl>
            <p>
              <a class="link" href={`#${new URLSearchParams({ run: run.id }).toString()}`}>
                What it did
              </a>
            </p>
            {run.questions.map((question) => (
              <Question key={question.key} id={run.id} question={question} />
            ))}
            {run.waitingFor > run.questions.length && (
              <p class="hint">
                {run.waitingFor - run.questions.length} more questions are on the page of the run.
              </p>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Question({ id, question }: { readonly id: string; readonly question: OpenQuestion }) {
  const { key, name, arguments: args, reason, askedAt } = question;
  return (
    <section class="question" aria-label={`Question ${key}`}>
      <h3>
        <Inline text={name} /> <span class="hint">waits for a person</span>
      </h3>
      {reason !== undefined && reason !== "" && (
        <p>
          <Inline text={reason} />
        </p>
      )}
      {askedAt !== undefined && (
        <p class="hint">
          Asked {formatMoment(askedAt)}, {formatAge(now.value - askedAt)} ago
        </p>
      )}
      {args !== undefined && args !== "" && <Block text={args} label={`Arguments of question ${key}`} />}
      <Command words={fleet.value.approveWith} args={[id, key]} />
    </section>
  );
}
