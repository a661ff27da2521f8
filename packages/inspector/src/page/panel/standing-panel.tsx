import { hasEnded } from "../../model/fleet.ts";
import { formatMoment, formatMs } from "../../model/format.ts";
import { RunStateWord } from "../run-state.tsx";
import { Inline } from "../shown-text.tsx";
import { run, showCall, tab, tree } from "../state.ts";

/** How a run of a fleet stands, and all that people were asked in it. */
export function StandingPanel() {
  const { standing, startedAt, durationMs, script } = run.value;
  if (standing === undefined) return null;
  const asked = tree.value.nodes.filter(({ call }) => (call.waits?.length ?? 0) > 0);
  const moment = (iso: string): string => formatMoment(Date.parse(iso)) || iso;
  const rows: readonly (readonly [title: string, text: string | undefined])[] = [
    ["Because", standing.message],
    ["Begun", startedAt === undefined ? undefined : moment(startedAt)],
    [script?.outcome === undefined ? "Last news" : "Ended", `after ${formatMs(durationMs)}`],
    ["Goes on", standing.wakeAt === undefined ? undefined : `${moment(standing.wakeAt)}, by itself`],
    ["Ends", standing.deadlineAt === undefined ? undefined : `${moment(standing.deadlineAt)} at the latest`],
    ["Worker", standing.worker],
    ["Deployment", standing.deployment],
    ["Cancelled", standing.cancel],
    ["Id", standing.id],
  ];
  return (
    <>
      <dl class="facts-list">
        <dt>State</dt>
        <dd>
          <RunStateWord state={standing.state} />
        </dd>
        {rows.map(
          ([title, text]) =>
            text !== undefined &&
            text !== "" && (
              <>
                <dt>{title}</dt>
                <dd>
                  <Inline text={text} />
                </dd>
              </>
            ),
        )}
      </dl>
      <h2>Questions to people</h2>
      {asked.length === 0 && <p class="hint">Nobody was asked.</p>}
      {asked.length > 0 && (
        <table class="rules">
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col">Decision</th>
              <th scope="col" class="amount">
                Waited
              </th>
            </tr>
          </thead>
          <tbody>
            {asked.slice(0, MAX_ASKED).flatMap((node) =>
              (node.call.waits ?? []).map((wait) => (
                <tr key={`${node.call.key} ${wait.key}`}>
                  <td>
                    <button
                      type="button"
                      class="link"
                      onClick={() => {
                        showCall(node);
                        tab.value = "call";
                      }}
                    >
                      <Inline text={node.call.name} />
                    </button>
                  </td>
                  <td>
                    {wait.decision ?? (hasEnded(standing.state) ? "none" : "none yet")}
                    {wait.by !== undefined && (
                      <>
                        {" "}
                        by <Inline text={wait.by} />
                      </>
                    )}
                  </td>
                  <td class="amount">{wait.toMs === undefined ? "" : formatMs(wait.toMs - wait.fromMs)}</td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      )}
      {asked.length > MAX_ASKED && <p class="hint">{asked.length - MAX_ASKED} more calls</p>}
    </>
  );
}

/** Calls that people were asked about that are listed. */
const MAX_ASKED = 200;
