import type { ApprovalItem, Approver } from "@nestbox/policy";
import { showText } from "@nestbox/policy";

import { changeLines } from "./change-lines.ts";
import { commandLines } from "./command-lines.ts";
import type { ScriptPlace } from "./script-place.ts";

const MAX_SCRIPT_LINE_CHARS = 200;

export interface DetailedApproverOptions {
  readonly placeOf: (callId: string) => ScriptPlace | undefined;
  /** Asked when the session begins; see `Approver`. */
  readonly typeAheadMs: () => number;
}

/**
 * Shows what will run before the person answers: commands as they were parsed, the diff of a write or an edit, the
 * line of the script that made the call. The chain and the arguments are the item's own.
 */
export function detailedApprover(approver: Approver, options: DetailedApproverOptions): Approver {
  const detailed = async (item: ApprovalItem, shown?: ScriptPlace): Promise<ApprovalItem> => ({
    ...item,
    lines: await linesOf(item, options.placeOf(item.callId), shown),
  });
  return {
    ...(approver.person === undefined ? {} : { person: approver.person }),
    ...(approver.reaches === undefined ? {} : { reaches: approver.reaches }),
    available: () => approver.available?.() ?? true,
    get typeAheadMs() {
      return options.typeAheadMs();
    },
    async ask(prompt, asked) {
      const item = await detailed(prompt.item);
      const shown = options.placeOf(prompt.item.callId);
      const batch = await Promise.all(prompt.batch.map((waiting) => detailed(waiting, shown)));
      return approver.ask({ ...prompt, item, batch }, asked);
    },
  };
}

async function linesOf(
  item: ApprovalItem,
  place: ScriptPlace | undefined,
  shown: ScriptPlace | undefined,
): Promise<readonly string[]> {
  const change = await changeLines(item.request).catch(() => undefined);
  const shows = change?.shows ?? [];
  // A command that is asked about as it stands is not said to run on top.
  const asked = new Set(item.lines.map((line) => line.replace(/^asks about: /, "runs: ")));
  return [
    ...placeLines(place, shown),
    // Each argument has one line, which begins with its name.
    ...item.lines.filter((line) => !shows.some((name) => line.startsWith(`${name}: `))),
    ...commandLines(item.decision.subject).filter((line) => !asked.has(line)),
    ...(change?.lines ?? []),
  ];
}

/** The line of the script; its text only where the same question does not show it already. */
function placeLines(place: ScriptPlace | undefined, shown: ScriptPlace | undefined): readonly string[] {
  if (place === undefined) return [];
  if (place.line === shown?.line && place.text === shown.text) return [`script line ${place.line}`];
  return [`script line ${place.line}: ${showText(place.text, MAX_SCRIPT_LINE_CHARS)}`];
}
