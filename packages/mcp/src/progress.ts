/** A progress notification as the protocol has it. */
interface ProgressNotification {
  readonly method: "notifications/progress";
  readonly params: {
    readonly progressToken: string | number;
    readonly progress: number;
    readonly message: string;
  };
}

export interface ProgressSender {
  send(text: string): void;
  /** Resolves when every notification has left; never rejects. */
  settled(): Promise<void>;
}

/** Characters of one progress message. */
const maxProgressMessageChars = 1_000;

/**
 * Turns updates into progress notifications, one after the other. Nothing is sent when the client gave no token; a
 * connection that is gone is no reason to fail the call.
 */
export function createProgressSender(
  progressToken: string | number | undefined,
  notify: (notification: { method: string; params: Record<string, unknown> }) => Promise<void>,
  max = 1_000,
): ProgressSender {
  let sent = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    send(text) {
      if (progressToken === undefined || sent >= max) return;
      const progress = ++sent;
      const message =
        text.length > maxProgressMessageChars ? `${text.slice(0, maxProgressMessageChars)}…` : text;
      const notification: ProgressNotification = {
        method: "notifications/progress",
        params: { progressToken, progress, message },
      };
      last = last.then(() => notify({ ...notification, params: { ...notification.params } })).catch(() => {});
    },
    settled: () => last,
  };
}
