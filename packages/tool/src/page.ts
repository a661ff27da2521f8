import { ToolError } from "./error.ts";
import { measure } from "./truncate.ts";

/** A bounded part of a list (contract B11). */
export type Page<TItem> = {
  readonly items: readonly TItem[];
  /** Items of the whole list. */
  readonly total: number;
  /** Absent on the last page. */
  readonly nextCursor?: string;
};

export interface PageOptions {
  /** The `nextCursor` of the page before; absent for the first page. Comes from a model: it is checked. */
  readonly cursor?: string;
  /** Items of a page. Default 100, at most 1,000. */
  readonly limit?: number;
  /** Bytes of a page as JSON; a page ends before it would pass them, but holds one item at least. Default 48 KiB. */
  readonly maxBytes?: number;
  /** Tells one state of the list from another: a cursor of another version is refused. At most 64 characters. */
  readonly version?: string;
}

const maxPageItems = 1000;
const maxCursorLength = 256;

/**
 * Cuts one page out of a list. Throws a `ToolError` with code `refused` for a cursor that this list did not give,
 * with the way out in the message.
 */
export function takePage<TItem>(list: readonly TItem[], options: PageOptions = {}): Page<TItem> {
  const { limit = 100, maxBytes = 48 * 1024, version = "" } = options;
  const most = Math.min(maxPageItems, Math.max(1, Math.trunc(limit)));
  const start = options.cursor === undefined ? 0 : readCursor(options.cursor, list.length, version);
  const items: TItem[] = [];
  let bytes = 0;
  for (let index = start; index < list.length && items.length < most; index += 1) {
    // In bounds: the index is below the length.
    const item = list[index] as TItem;
    bytes += measure(JSON.stringify(item) ?? "null").bytes + 1;
    if (bytes > maxBytes && items.length > 0) break;
    items.push(item);
  }
  const next = start + items.length;
  const page = { items, total: list.length };
  return next < list.length ? { ...page, nextCursor: writeCursor(next, version) } : page;
}

function writeCursor(offset: number, version: string): string {
  return `${offset}.${encodeURIComponent(version.slice(0, 64))}`;
}

function readCursor(cursor: string, length: number, version: string): number {
  const match = cursor.length > maxCursorLength ? null : /^(\d{1,15})\.(.*)$/.exec(cursor);
  const offset = Number(match?.[1]);
  if (match === null || !Number.isSafeInteger(offset)) {
    throw new ToolError("refused", "The cursor is not one that this tool gave. Call again without a cursor.");
  }
  if (cursor !== writeCursor(offset, version) || offset >= length) {
    throw new ToolError(
      "refused",
      "The list has changed since this cursor was given. Call again without a cursor.",
    );
  }
  return offset;
}
