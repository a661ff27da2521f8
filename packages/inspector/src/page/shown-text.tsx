import { useState } from "preact/hooks";

import { formatCount } from "../model/format.ts";
import { cutText, showText } from "../model/show-text.ts";

/** Characters of one text that are laid out before somebody asks for all of it. */
const MAX_SHOWN = 20_000;
const MAX_INLINE = 300;

/** A text of somebody else's on one line: text nodes only, escapes marked as such. */
export function Inline({ text }: { readonly text: string }) {
  return <bdi>{pieces(cutText(text, MAX_INLINE), false)}</bdi>;
}

/** A text of many lines. */
export function Block({ text, label }: { readonly text: string; readonly label: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > MAX_SHOWN;
  return (
    <>
      <pre class="block" tabIndex={0} role="group" aria-label={label}>
        <code>{pieces(cut ? cutText(text, MAX_SHOWN) : text, true)}</code>
      </pre>
      {cut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      )}
    </>
  );
}

export function pieces(text: string, multiline: boolean) {
  return showText(text, { multiline }).map((piece, index) =>
    piece.kind === "text" ? (
      piece.text
    ) : (
      <span key={index} class="escape">
        {piece.text}
      </span>
    ),
  );
}
