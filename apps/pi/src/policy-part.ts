import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
  createDialogApprover,
  createPolicyExtension,
  type PolicyExtension,
  type PolicyExtensionOptions,
} from "@nestbox/policy/pi";

import { detailedApprover } from "./approval/detailed-approver.ts";
import type { ScriptPlaces } from "./approval/script-place.ts";

/** Keys that run ahead of a dialog in the terminal, in milliseconds, where the approver does not say. */
const TYPE_AHEAD_MS = 250;

/** The policy with questions that show what will run. Not yet registered. */
export function createPolicyPart(
  pi: Pick<ExtensionAPI, "on">,
  places: ScriptPlaces,
  options: PolicyExtensionOptions = {},
): PolicyExtension {
  // The context of the newest event of this load; the first comes before the policy opens its session.
  let current: ExtensionContext | undefined;
  const keep = (_event: unknown, context: ExtensionContext): void => void (current = context);
  pi.on("session_start", keep);
  pi.on("agent_start", keep);
  pi.on("session_shutdown", () => void (current = undefined));
  const given = options.approver;
  const approver =
    given ?? createDialogApprover({ ui: () => (current?.hasUI === true ? current.ui : undefined) });
  const typeAheadMs = (): number =>
    given === undefined
      ? (options.typeAheadMs ?? (current?.mode === "tui" ? (approver.typeAheadMs ?? TYPE_AHEAD_MS) : 0))
      : (given.typeAheadMs ?? 0);
  return createPolicyExtension({
    ...options,
    approver: detailedApprover(approver, { placeOf: (callId) => places.placeOf(callId), typeAheadMs }),
  });
}
