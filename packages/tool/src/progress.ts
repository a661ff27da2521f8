import { systemClock, type Clock } from "./clock.ts";
import type { ToolContent, ToolResult, ToolUpdateCallback } from "./result.ts";
import { modelTextLimits, truncateText } from "./truncate.ts";

export interface ProgressLimits {
  /** At most one update in this time; of several, the latest is told. Default: 50 ms. */
  readonly minIntervalMs?: number;
  /** Updates of one call. Those beyond it are dropped, but for the last one. Default: 1,000. */
  readonly maxUpdates?: number;
  /** Bytes of text in one update; a longer one is cut around a marker. Default 50 KiB. */
  readonly maxBytes?: number;
}

const progressLimits: Required<ProgressLimits> = {
  minIntervalMs: 50,
  maxUpdates: 1000,
  maxBytes: modelTextLimits.maxBytes,
};

/** Where a tool tells its progress (contract B4). */
export interface Progress {
  /** Takes a complete partial result. Never throws, whoever listens. */
  readonly update: ToolUpdateCallback;
  /** Tells what is still held back; afterwards updates are ignored. */
  settle(): void;
}

export interface ProgressOptions extends ProgressLimits {
  readonly clock?: Clock;
  /** Applied to every text. */
  readonly redact?: (text: string) => string;
}

/**
 * Puts the promises of contract B4 between a tool and its listener: updates are complete (content and details),
 * bounded in number, rate and size, and silent once the call has settled.
 */
export function createProgress<TDetails>(
  onUpdate: ToolUpdateCallback<TDetails> | undefined,
  options: ProgressOptions = {},
): Progress {
  const { minIntervalMs, maxUpdates, maxBytes } = { ...progressLimits, ...defined(options) };
  const { clock = systemClock, redact = (text) => text } = options;
  let settled = false;
  let told = 0;
  let last: number | undefined;
  let held: ToolResult | undefined;
  let cancel: (() => void) | undefined;

  function tell(partial: ToolResult): void {
    cancel?.();
    cancel = undefined;
    held = undefined;
    told += 1;
    last = clock.now();
    try {
      // The listener's type of details is the tool's own, which this function only passes on.
      onUpdate?.(complete(partial) as ToolResult<TDetails>);
    } catch {
      // A throwing listener would end the host process.
    }
  }

  function complete(partial: ToolResult): ToolResult {
    const content = Array.isArray(partial.content) ? partial.content : [];
    return { ...partial, content: content.map(bounded), details: partial.details };
  }

  function bounded(part: ToolContent): ToolContent {
    if (part.type !== "text") return part;
    return { ...part, text: truncateText(redact(part.text), { maxBytes }).text };
  }

  return {
    update(partial) {
      if (settled || onUpdate === undefined || typeof partial !== "object" || partial === null) return;
      held = partial;
      // The last update is kept for the end even when the number is used up.
      if (told >= maxUpdates - 1 || cancel !== undefined) return;
      const wait = last === undefined ? 0 : last + minIntervalMs - clock.now();
      if (wait <= 0) tell(held);
      else cancel = clock.after(wait, () => held !== undefined && tell(held));
    },
    settle() {
      if (settled) return;
      cancel?.();
      cancel = undefined;
      if (held !== undefined && told < maxUpdates) tell(held);
      settled = true;
    },
  };
}

function defined(options: ProgressLimits): Partial<Required<ProgressLimits>> {
  const { minIntervalMs, maxUpdates, maxBytes } = options;
  return {
    ...(minIntervalMs === undefined ? {} : { minIntervalMs }),
    ...(maxUpdates === undefined ? {} : { maxUpdates }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}
