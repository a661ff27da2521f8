import type { ApprovalAnswer, ApprovalPrompt, Approver } from "../../src/gate/approver.ts";

/** A person whom the test makes press keys: dialogs stay open until `answer` is called. */
export interface ScriptedApprover extends Approver {
  readonly shown: readonly ApprovalPrompt[];
  /** Call ids of the dialogs that are open now. */
  readonly open: readonly string[];
  /** Most dialogs that were ever open at a time. */
  readonly mostOpen: number;
  answer(answer: ApprovalAnswer): void;
}

export function scriptedApprover(typeAheadMs = 0): ScriptedApprover {
  const shown: ApprovalPrompt[] = [];
  const open: { readonly id: string; readonly resolve: (answer: ApprovalAnswer) => void }[] = [];
  let mostOpen = 0;
  return {
    typeAheadMs,
    shown,
    get open() {
      return open.map((entry) => entry.id);
    },
    get mostOpen() {
      return mostOpen;
    },
    ask(prompt, { signal }) {
      shown.push(prompt);
      return new Promise<ApprovalAnswer>((resolve) => {
        const entry = {
          id: prompt.item.callId,
          resolve: (answer: ApprovalAnswer) => {
            const index = open.indexOf(entry);
            if (index >= 0) open.splice(index, 1);
            resolve(answer);
          },
        };
        open.push(entry);
        mostOpen = Math.max(mostOpen, open.length);
        signal.addEventListener("abort", () => entry.resolve({ kind: "declined" }));
      });
    },
    answer(answer) {
      const first = open[0];
      if (first === undefined) throw new Error("no dialog is open");
      first.resolve(answer);
    },
  };
}
