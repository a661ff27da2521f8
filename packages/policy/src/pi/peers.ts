import type { AnsweredCall } from "../gate/gate-types.ts";
import { createTurns, type Turns } from "../gate/turns.ts";
import { isRecord } from "../is-record.ts";

/** What is used of Pi's event bus, which all extensions of a session share. */
export interface PeerBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, handler: (data: unknown) => void): () => void;
}

/** Names the dialogs of a session's UI, which all policies of the session share: see `Approver`. */
export const PI_DIALOGS = "pi.ui";

/** The channels and the shapes of their questions are the interface between policies, of whatever version. */
const CHANNEL = "nestbox.policy.answered";
const TURN_CHANNEL = "nestbox.policy.asking";

interface PeerQuestion {
  readonly from: object;
  readonly call: AnsweredCall;
  readonly yes: () => void;
}

/** The other policies of the session, so that one person is not asked twice about one call. */
export interface Peers {
  /** Whether another policy asked a person about exactly this call and got a yes. */
  answered(call: AnsweredCall): boolean;
  /** One dialog at a time among all policies of the session. */
  readonly turns: Turns;
}

interface TurnQuestion {
  readonly from: object;
  /** Called with the end of a dialog that is open. */
  readonly busy: (until: Promise<unknown>) => void;
}

/**
 * Joins the policies of one session. Nothing is announced and nothing is kept: the one that is about to ask asks the
 * others first, and takes what they say at once.
 */
export function joinPeers(bus: PeerBus, answered: (call: AnsweredCall) => boolean): Peers {
  const self = {};
  bus.on(CHANNEL, (data) => {
    const question = readQuestion(data);
    if (question !== undefined && question.from !== self && answered(question.call)) question.yes();
  });
  const turns = createTurns((busy) => {
    let open = true;
    const noted = (until: Promise<unknown>): void => {
      if (open) busy(until);
    };
    bus.emit(TURN_CHANNEL, { from: self, busy: noted } satisfies TurnQuestion);
    open = false;
  });
  bus.on(TURN_CHANNEL, (data) => {
    const current = turns.current();
    if (current === undefined || !isRecord(data) || data["from"] === self) return;
    if (typeof data["busy"] === "function") data["busy"](current);
  });
  return {
    turns,
    answered(call) {
      let approved = false;
      let open = true;
      const yes = (): void => {
        // A yes that comes later belongs to no question.
        if (open) approved = true;
      };
      bus.emit(CHANNEL, { from: self, call, yes } satisfies PeerQuestion);
      open = false;
      return approved;
    },
  };
}

function readQuestion(data: unknown): PeerQuestion | undefined {
  if (!isRecord(data) || !isRecord(data["from"]) || !isRecord(data["call"])) return undefined;
  const { from, yes } = data;
  const { reaches, callId, toolName, cwd, fingerprint } = data["call"];
  if (typeof reaches !== "string") return undefined;
  if (typeof yes !== "function" || typeof callId !== "string" || typeof toolName !== "string")
    return undefined;
  if (typeof cwd !== "string" || typeof fingerprint !== "string") return undefined;
  return { from, call: { reaches, callId, toolName, cwd, fingerprint }, yes: () => void yes() };
}
