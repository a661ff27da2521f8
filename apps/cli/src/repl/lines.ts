import { createInterface } from "node:readline/promises";

import type { Streams } from "../output.ts";

export type Line =
  | { readonly kind: "line"; readonly text: string }
  /** The line was thrown away with Ctrl-C. */
  | { readonly kind: "cancelled" }
  | { readonly kind: "end" };

export interface Lines {
  next(prompt: string): Promise<Line>;
  close(): void;
}

export type Completer = (line: string) => [readonly string[], string];

/**
 * Lines from a terminal, with history and completion. Each question has an interface of its own, so that between two
 * of them the terminal belongs to whoever asks about a call.
 */
export function terminalLines(
  streams: Streams,
  history: readonly string[],
  completer: Completer,
  onHistory: (history: readonly string[]) => void,
): Lines {
  let known = [...history];
  return {
    next: (prompt) =>
      new Promise((resolve) => {
        const lines = createInterface({
          input: streams.stdin,
          output: streams.stdout,
          terminal: true,
          history: [...known],
          historySize: 1_000,
          removeHistoryDuplicates: true,
          completer: (line: string): [string[], string] => {
            const [hits, part] = completer(line);
            return [[...hits], part];
          },
        });
        const end = (line: Line): void => {
          resolve(line);
          lines.close();
        };
        lines.on("history", (changed: string[]) => {
          known = changed;
          onHistory(changed);
        });
        lines.once("SIGINT", () => {
          streams.stdout.write("\n");
          end({ kind: "cancelled" });
        });
        lines.once("close", () => resolve({ kind: "end" }));
        lines.once("line", (text) => end({ kind: "line", text }));
        lines.setPrompt(prompt);
        lines.prompt();
      }),
    close: () => {},
  };
}

/** Lines of a pipe: no prompt, no history. */
export function pipedLines(streams: Streams): Lines {
  const lines = createInterface({ input: streams.stdin, terminal: false });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      return done === true ? { kind: "end" } : { kind: "line", text: value };
    },
    close: () => lines.close(),
  };
}
