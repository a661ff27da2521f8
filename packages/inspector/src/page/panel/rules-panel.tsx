import { useMemo } from "preact/hooks";

import { formatCount } from "../../model/format.ts";
import { ruleUses } from "../../model/rules.ts";
import { Inline } from "../shown-text.tsx";
import { run, setFilter } from "../state.ts";
import { Effect } from "../status.tsx";

/** Every rule that decided a call; one that is chosen shows its calls. */
export function RulesPanel() {
  const { calls } = run.value;
  const uses = useMemo(() => ruleUses(calls), [calls]);
  if (uses.length === 0) return <p class="hint">No decision is on record.</p>;
  return (
    <table class="rules">
      <thead>
        <tr>
          <th scope="col">Effect</th>
          <th scope="col">Rule</th>
          <th scope="col">Layer</th>
          <th scope="col" class="amount">
            Calls
          </th>
        </tr>
      </thead>
      <tbody>
        {uses.map(({ effect, rule, layer, calls: count }) => (
          <tr key={`${effect} ${layer} ${rule}`}>
            <td>
              <Effect effect={effect} />
            </td>
            <td>
              <button
                type="button"
                class="link"
                onClick={() => setFilter({ text: rule, decision: effect, statuses: new Set() })}
              >
                <Inline text={rule} />
              </button>
            </td>
            <td>
              <Inline text={layer} />
            </td>
            <td class="amount">{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
