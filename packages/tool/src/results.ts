import type { Page } from "./page.ts";
import type { ToolContent, ToolResult } from "./result.ts";
import { truncateText } from "./truncate.ts";

/** A result that carries data for scripts; its type follows the data. */
export interface DataResult<TData, TDetails> extends Omit<ToolResult<TDetails>, "structuredContent"> {
  readonly structuredContent: TData;
}

/** A result without data. */
export type TextResult<TDetails> = Omit<ToolResult<TDetails>, "structuredContent">;

export interface DataOptions<TDetails> {
  /** What the model reads. Default: the data as JSON, cut to Pi's limits for model text. */
  readonly text?: string;
  /** For rendering and logs. Default: `undefined`. */
  readonly details?: TDetails;
  /** Asks to end the follow-up (contract A13). */
  readonly terminate?: boolean;
}

/** Text for the model, without data. It is cut to 2,000 lines and 50 KiB. */
export function textResult<TDetails = undefined>(
  text: string,
  options: Omit<DataOptions<TDetails>, "text"> = {},
): TextResult<TDetails> {
  return { content: [modelText(text)], ...rest(options) };
}

/** Data for scripts and a text for the model (contract A9). */
export function dataResult<const TData, TDetails = undefined>(
  data: TData,
  options: DataOptions<TDetails> = {},
): DataResult<TData, TDetails> {
  return { content: [modelText(options.text ?? jsonText(data))], structuredContent: data, ...rest(options) };
}

/** A failure with data (contract A10): the model sees an error, scripts still get the data. Without data: throw. */
export function failureResult<const TData, TDetails = undefined>(
  data: TData,
  options: DataOptions<TDetails> & { readonly text: string },
): DataResult<TData, TDetails> & { readonly isError: true } {
  return { ...dataResult(data, options), isError: true };
}

/** One page of a list and how to get the next (contract B11). */
export function pageResult<TItem, TDetails = undefined>(
  page: Page<TItem>,
  options: DataOptions<TDetails> = {},
): DataResult<Page<TItem>, TDetails> {
  const more =
    page.nextCursor === undefined
      ? ""
      : `\n[${page.items.length} of ${page.total} items; call again with cursor ${JSON.stringify(page.nextCursor)} for more]`;
  const text = truncateText(options.text ?? jsonText(page.items), {
    maxBytes: 49 * 1024,
    maxLines: 1998,
  }).text;
  return dataResult(page, { ...options, text: text + more });
}

function rest<TDetails>({ details, terminate }: Omit<DataOptions<TDetails>, "text">) {
  // Without details, TDetails is inferred as undefined, which is what stands there.
  return { details: details as TDetails, ...(terminate === undefined ? {} : { terminate }) };
}

function modelText(text: string): ToolContent {
  return { type: "text", text: truncateText(text).text };
}

function jsonText(data: unknown): string {
  try {
    return JSON.stringify(data, undefined, 2) ?? "undefined";
  } catch {
    // A cycle or a BigInt: the check of the result tells the author, with its path.
    return "[not plain JSON]";
  }
}
