import { useRef, useState } from "preact/hooks";

import { commandLine } from "../model/command.ts";

export interface CommandProps {
  /** Of the command, before its arguments. */
  readonly words: readonly string[];
  /** The id of a run, and of a question its key. */
  readonly args: readonly string[];
}

/** The page decides nothing: it shows the line that would, for whoever may. */
export function Command({ words, args }: CommandProps) {
  const line = commandLine(words, args);
  const code = useRef<HTMLElement>(null);
  const [copied, setCopied] = useState("");
  if (words.length === 0) return null;
  if (line === undefined) return <p class="hint">The names of it cannot stand in a command.</p>;
  return (
    <div class="command">
      <code ref={code}>{line}</code>
      <button
        type="button"
        class="quiet"
        aria-label={copied === line ? "Copied" : "Copy the command"}
        onClick={() => {
          copy(line, code.current).then(
            (done) => setCopied(done ? line : ""),
            () => setCopied(""),
          );
        }}
      >
        {copied === line ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

/** Where the clipboard is not to be had, the line is selected, to be copied by hand. */
async function copy(line: string, element: HTMLElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(line);
    return true;
  } catch {
    if (element !== null) getSelection()?.selectAllChildren(element);
    return false;
  }
}
