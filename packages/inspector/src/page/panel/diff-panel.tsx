import type { TreeNode } from "../../model/tree.ts";
import { Inline } from "../shown-text.tsx";
import { activeDiffRow, diff } from "../state.ts";
import { CallTexts, Facts } from "./call-panel.tsx";

/** The two calls of one place, one beside the other. */
export function DiffPanel() {
  const rows = diff.value?.rows ?? [];
  const row = rows[Math.min(activeDiffRow.value, rows.length - 1)];
  if (row === undefined) return <p class="hint">Choose a pair.</p>;
  return (
    <div class="pair">
      <One title="This run" node={row.left} />
      <One title="Other run" node={row.right} />
    </div>
  );
}

function One({ title, node }: { readonly title: string; readonly node: TreeNode | undefined }) {
  return (
    <section aria-label={title}>
      <h2>
        <span class="hint">{title}</span>{" "}
        {node === undefined ? "not called" : <Inline text={node.call.name} />}
      </h2>
      {node !== undefined && (
        <>
          <Facts call={node.call} />
          <CallTexts call={node.call} />
        </>
      )}
    </section>
  );
}
