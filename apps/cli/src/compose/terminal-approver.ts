import { createInterface } from "node:readline/promises";

import type { ApprovalAnswer, ApprovalPrompt, Approver } from "@nestbox/policy";

import type { Streams } from "../output.ts";

const PROMPT = "y, s, n or q > ";
const PROMPT_ONCE = "y, n or q > ";

/** What the answers mean. Where nothing may be remembered, there is no `s`. */
function answersTo({ item }: ApprovalPrompt): string {
  const once = item.offers.length === 0;
  return [
    once ? "y: yes" : "y: yes, once   s: yes, and to exactly this call again",
    "n: no   q: no, and stop the script",
  ].join("\n");
}

/**
 * Asks on the terminal: the question on standard error, the answer from standard input. `undefined` where there is
 * no terminal at both ends, so that an ask is a deny.
 */
export function terminalApprover(
  streams: Streams,
  scriptFromStdin: boolean,
  /** Ctrl-C at a question: no answer to it, but the end of what asks. */
  onInterrupt: () => void,
): Approver | undefined {
  if (scriptFromStdin || streams.stdin.isTTY !== true || streams.stderr.isTTY !== true) return undefined;
  let asked: string | undefined;
  return {
    typeAheadMs: 150,
    async ask(prompt, { signal }) {
      // Asked again at once: a key that was pressed before the question could be read is no answer to it.
      const again = asked === prompt.item.callId;
      asked = prompt.item.callId;
      const lines = createInterface({ input: streams.stdin, output: streams.stderr });
      // A question that is open when its interface is closed may never be answered.
      const closed = new Promise<never>((_resolve, reject) => {
        lines.once("close", () => reject(new Error("closed")));
      });
      closed.catch(() => undefined);
      let interrupted = false;
      lines.once("SIGINT", () => {
        interrupted = true;
        streams.stderr.write("\n");
        lines.close();
        onInterrupt();
      });
      try {
        streams.stderr.write(
          again
            ? "That was typed before the question could be read. Once more:\n"
            : `\n${describe(prompt)}\n${answersTo(prompt)}\n`,
        );
        const question = prompt.item.offers.length === 0 ? PROMPT_ONCE : PROMPT;
        for (;;) {
          const answer = await Promise.race([lines.question(question, { signal }), closed]);
          const parsed = parse(answer.trim().toLowerCase(), prompt);
          if (parsed !== undefined) return parsed;
        }
      } catch {
        // The call was cancelled, or standard input ended: nobody is there to answer.
        return { kind: "unavailable", message: interrupted ? "interrupted" : "the terminal was closed" };
      } finally {
        lines.close();
      }
    },
  };
}

function describe({ item, waiting }: ApprovalPrompt): string {
  const more = waiting > 1 ? ` (${waiting - 1} more waiting)` : "";
  return [
    `${item.chain.join(" › ")} wants to run${more}:`,
    ...item.lines.map((line) => `  ${line}`),
    `  in ${item.folder}`,
    `  asked by ${item.rule} (${item.layer}): ${item.reason}`,
  ].join("\n");
}

function parse(answer: string, { item }: ApprovalPrompt): ApprovalAnswer | undefined {
  switch (answer) {
    case "y":
    case "yes":
      return { kind: "approved" };
    case "s": {
      const offer = item.offers[0];
      // A yes to this call alone is another answer than the one that was given.
      return offer === undefined
        ? undefined
        : { kind: "approved", remember: { kind: "session", pattern: offer.pattern } };
    }
    case "n":
    case "no":
      return { kind: "declined" };
    case "q":
      return { kind: "stop" };
    default:
      return undefined;
  }
}
