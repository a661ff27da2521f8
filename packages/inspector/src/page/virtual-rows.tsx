/**
 * A grid of very many rows, of which only those that are seen exist. Focus stays on the grid, which names its
 * active row; that row always exists, so that the name leads somewhere.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { rowWindow, scrollToShow } from "../model/window.ts";
import { printing } from "./state.ts";

const OVERSCAN = 10;
/** Rows that are scrolled before others are drawn; fewer than the overscan. */
const STEP = 4;
/** Rows on paper. */
const MAX_PRINTED_ROWS = 1_000;

export interface VirtualRowsProps {
  readonly label: string;
  readonly class: string;
  /** Default `treegrid`: rows have levels. */
  readonly role?: "grid" | "treegrid";
  readonly count: number;
  readonly columns: number;
  readonly rowHeight: number;
  /** −1: none. */
  readonly active: number;
  readonly rowId: (index: number) => string;
  readonly head: ComponentChildren;
  /** Drawn behind the rows, over their whole height. */
  readonly behind?: ComponentChildren;
  readonly row: (index: number, top: number) => ComponentChildren;
  readonly onKey: (event: KeyboardEvent, pageRows: number) => void;
  readonly onFocusEmpty: () => void;
  readonly empty: string;
}

export function VirtualRows(props: VirtualRowsProps) {
  const { count, rowHeight, active } = props;
  const grid = useRef<HTMLDivElement>(null);
  const headRow = useRef<HTMLDivElement>(null);
  /** Where it is, without asking the layout; the state follows in steps. */
  const place = useRef(0);
  const [scrollTop, setScrollTop] = useState(0);
  const [height, setHeight] = useState(800);

  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null) return undefined;
    const measure = (): void => setHeight(element.clientHeight - (headRow.current?.offsetHeight ?? 0));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = grid.current;
    if (element === null || active < 0) return;
    const wanted = scrollToShow(active, { rowHeight, scrollTop: place.current, height });
    if (wanted === place.current) return;
    place.current = wanted;
    element.scrollTop = wanted;
  }, [active, height, rowHeight]);

  const shown = printing.value
    ? { first: 0, last: Math.min(count, MAX_PRINTED_ROWS) }
    : rowWindow({ count, rowHeight, scrollTop, height, overscan: OVERSCAN });
  const indexes = Array.from({ length: shown.last - shown.first }, (_, index) => shown.first + index);
  if (active >= shown.last && active < count) indexes.push(active);
  else if (active >= 0 && active < shown.first) indexes.unshift(active);

  return (
    <div
      ref={grid}
      class={`grid ${props.class}`}
      role={props.role ?? "treegrid"}
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={props.columns}
      aria-activedescendant={active >= 0 && active < count ? props.rowId(active) : undefined}
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        place.current = currentTarget.scrollTop;
        setScrollTop(place.current - (place.current % (rowHeight * STEP)));
      }}
      onKeyDown={(event) => props.onKey(event, Math.max(1, Math.floor(height / rowHeight) - 1))}
      onFocus={() => {
        if (active < 0) props.onFocusEmpty();
      }}
    >
      <div ref={headRow} role="rowgroup" class="head">
        {props.head}
      </div>
      <div
        role="rowgroup"
        class="body"
        style={{ height: `${indexes.length === 0 ? 0 : count * rowHeight}px` }}
      >
        {props.behind}
        {indexes.map((index) => props.row(index, index * rowHeight))}
      </div>
      {count === 0 && <p class="empty">{props.empty}</p>}
      {printing.value && count > MAX_PRINTED_ROWS && (
        <p class="empty">{count - MAX_PRINTED_ROWS} more rows</p>
      )}
    </div>
  );
}
