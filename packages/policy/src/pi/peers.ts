import type { AnsweredCall } from "../gate/gate-types.ts";
import { isRecord } from "../is-record.ts";

/** What is used of Pi's event bus, which all extensions of a session share. */
export interface PeerBus {
  emit(channel: string, data: unknown): void;
  on(channel: string, handler: (data: unknown) => void): () => void;
}

/** The channel and the shape of a question are the interface between policies, of whatever version. */
const CHANNEL = "nestbox.policy.answered";

interface PeerQuestion {
  readonly from: object;
  readonly call: AnsweredCall;
  readonly yes: () => void;
}

/** The other policies of the session, so that one person is not asked twice about one call. */
export interface Peers {
  /** Whether another policy asked a person about exactly this call and got a yes. */
  answered(call: AnsweredCall): boolean;
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
  return {
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
