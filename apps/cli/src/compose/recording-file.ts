import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

import { parseRecording, type Recording, recordingText } from "@nestbox/codemode/durable";

import { UsageError } from "../usage-error.ts";

/**
 * Opens the file of `run --record` before the run begins, so that a run is not lost for a wrong name, and gives what
 * writes it. Readable by its owner only: arguments and results stand in it as they were. Throws `UsageError`.
 */
export function openRecordingFile(file: string, start: string): (recording: Recording) => void {
  const path = resolve(start, file);
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (cause) {
      throw new UsageError(
        `--record ${file}: it cannot be written (${(cause as NodeJS.ErrnoException).code ?? String(cause)}).`,
        { cause },
      );
    }
  };
  attempt(() => closeSync(openSync(path, "w", 0o600)));
  return (recording) => attempt(() => writeFileSync(path, recordingText(recording), { mode: 0o600 }));
}

/** Reads what `run --record` has written. Throws `UsageError`. */
export function readRecordingFile(file: string, start: string): Recording {
  let text: string;
  try {
    text = readFileSync(resolve(start, file), "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw new UsageError(`Recording ${file}: ${why}.`, { cause });
  }
  const parsed = parseRecording(text);
  if (!parsed.ok)
    throw new UsageError(
      `Recording ${file}: ${text.trim() === "" ? "It is empty: its run did not come to an end" : parsed.message}.`,
    );
  return parsed.recording;
}
