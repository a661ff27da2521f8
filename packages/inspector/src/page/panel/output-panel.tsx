import { formatCount, prettyJson } from "../../model/format.ts";
import { Block, Inline } from "../shown-text.tsx";
import { script, showLine, tab } from "../state.ts";
import { Fold } from "./call-panel.tsx";

/** Pieces of output that are laid out. */
const MAX_PIECES = 1_000;

/** How the script of the chosen call ended, what it gave back, and what it put out. */
export function OutputPanel() {
  const shown = script.value;
  if (shown === undefined) return null;
  const { outcome, output, outputOmitted } = shown;
  const error = outcome?.error;
  const left = outputOmitted + Math.max(0, output.length - MAX_PIECES);
  return (
    <>
      {error !== undefined && (
        <div class="failure">
          <h2>
            <Inline text={error.name} /> <span class="hint">{error.kind}</span>
          </h2>
          <Block text={error.message} label="Error of the script" />
          {error.line !== undefined && (
            <button
              type="button"
              class="link"
              onClick={() => {
                tab.value = "script";
                showLine(error.line ?? 0);
              }}
            >
              line {error.line}
            </button>
          )}
        </div>
      )}
      {outcome?.value !== undefined && (
        <Fold title="Value" open>
          <Block text={prettyJson(outcome.value)} label="Value" />
        </Fold>
      )}
      {output.length === 0 && <p class="hint">Nothing was put out.</p>}
      {output.slice(0, MAX_PIECES).map((piece, index) => (
        <div key={index} class={`piece ${piece.kind}`}>
          <span class="kind">{piece.kind}</span>
          <Block text={piece.text} label={`Output ${index + 1}`} />
        </div>
      ))}
      {left > 0 && <p class="hint">{formatCount(left)} more pieces are not shown.</p>}
    </>
  );
}
