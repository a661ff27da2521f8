/** The rows that are drawn: from `first` up to, not with, `last`. */
export interface RowWindow {
  readonly first: number;
  readonly last: number;
}

export interface WindowInput {
  readonly count: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly height: number;
  /** Rows drawn beyond either edge. */
  readonly overscan: number;
}

/** Which of many rows of one height have to be drawn. */
export function rowWindow({ count, rowHeight, scrollTop, height, overscan }: WindowInput): RowWindow {
  const first = Math.max(0, Math.floor(Math.max(0, scrollTop) / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((Math.max(0, scrollTop) + height) / rowHeight) + overscan);
  return { first: Math.min(first, count), last: Math.max(Math.min(first, count), last) };
}

/** Where to scroll so that a row is seen whole; the place itself when it is. */
export function scrollToShow(row: number, input: Omit<WindowInput, "count" | "overscan">): number {
  const { rowHeight, scrollTop, height } = input;
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return Math.max(0, top + rowHeight - height);
  return scrollTop;
}
