import { createWriteStream, type WriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { once } from "node:events";
import { createByteWindow, type ByteWindowContent } from "../byte-window.ts";
import { cutHeadBytes, cutTailBytes, omissionMarker, type Omission } from "../cut.ts";
import { structuredTextMaxBytes } from "../truncate.ts";
import { openOutputFolder, type OutputFolder } from "./output-folder.ts";

/** A text that was collected from a stream, whole or cut around a marker. */
export interface CollectedOutput {
  readonly text: string;
  readonly truncated: boolean;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** The file with everything, when the text was cut. */
  readonly fullOutputPath?: string;
  /** The file ended at `maxFileBytes` before the output did, or could not be written. */
  readonly fullOutputIncomplete?: boolean;
}

export interface OutputCollectorOptions {
  /** Bytes kept in memory. Default 1 MiB: the first and the last 512 KiB of a longer output. */
  readonly maxBytes?: number;
  /** Bytes written to the file. Default 2 GiB. */
  readonly maxFileBytes?: number;
  /** Where the file goes; default {@link openOutputFolder}. */
  readonly folder?: OutputFolder;
}

/** Collects a stream of any length in bounded memory; what does not fit goes to a file as it comes. */
export interface OutputCollector {
  /** Resolves when more may be written: awaiting it is what keeps memory flat. Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the file and gives the text. Call it once. */
  finish(): Promise<CollectedOutput>;
  /** Ends and removes the file. */
  discard(): Promise<void>;
}

export const defaultOutputBytes = structuredTextMaxBytes;
const defaultOutputFileBytes = 2 * 1024 ** 3;

export function createOutputCollector(options: OutputCollectorOptions = {}): OutputCollector {
  const { maxBytes = defaultOutputBytes, maxFileBytes = defaultOutputFileBytes } = options;
  const window = createByteWindow(maxBytes);
  /** What came before the file was needed; at most `maxBytes`. */
  let before: Uint8Array[] = [];
  let total = 0;
  let file: { readonly path: string; readonly stream: WriteStream } | undefined;
  let fileBytes = 0;
  let incomplete = false;
  // Two streams write at the same time: the file keeps the order in which the chunks came.
  let queue: Promise<void> = Promise.resolve();

  async function open(): Promise<void> {
    try {
      const folder = options.folder ?? (await openOutputFolder());
      const path = folder.nextFile();
      const stream = createWriteStream(path, { flags: "wx", mode: 0o600 });
      stream.on("error", () => {
        // The disk is full or the folder is gone: the output goes on, the file does not.
        incomplete = true;
      });
      await once(stream, "open");
      file = { path, stream };
    } catch {
      incomplete = true;
    }
    for (const chunk of before) await append(chunk);
    before = [];
  }

  async function append(chunk: Uint8Array): Promise<void> {
    if (file === undefined || incomplete) return;
    const bytes = chunk.subarray(0, Math.max(0, maxFileBytes - fileBytes));
    if (bytes.length < chunk.length) incomplete = true;
    fileBytes += bytes.length;
    if (bytes.length === 0 || file.stream.write(bytes)) return;
    await once(file.stream, "drain").catch(() => undefined);
  }

  async function close(): Promise<void> {
    if (file === undefined || file.stream.closed) return;
    const closed = once(file.stream, "close").catch(() => undefined);
    file.stream.end();
    await closed;
  }

  async function store(chunk: Uint8Array): Promise<void> {
    total += chunk.length;
    if (file !== undefined || incomplete) return append(chunk);
    before.push(chunk);
    if (total > maxBytes) await open();
  }

  return {
    write(chunk) {
      window.write(chunk);
      queue = queue.then(() => store(chunk));
      return queue;
    },
    async finish() {
      await queue;
      await close();
      const content = window.read();
      const { totalBytes, totalLines } = content;
      if (content.omittedBytes === 0)
        return { text: windowText(content), truncated: false, totalBytes, totalLines };
      const where = {
        ...(file === undefined ? {} : { fullOutputPath: file.path }),
        ...(incomplete ? { fullOutputIncomplete: true } : {}),
      };
      return { text: windowText(content, where), truncated: true, totalBytes, totalLines, ...where };
    },
    async discard() {
      await queue;
      await close();
      if (file !== undefined) await rm(file.path, { force: true });
    },
  };
}

/** The text of a window: whole, or whole lines of its head and tail around a marker. */
export function windowText(
  content: ByteWindowContent,
  where: Omit<Omission, "omittedBytes" | "omittedLines"> = {},
): string {
  const { head, tail, totalBytes, totalLines, omittedBytes } = content;
  if (omittedBytes === 0) return decode(head);
  const first = cutHeadBytes(head);
  const last = cutTailBytes(tail);
  const marker = omissionMarker({
    omittedBytes: totalBytes - first.length - last.length,
    // A cut inside of a line, or a last line without its line feed, is a line too.
    omittedLines: Math.max(1, totalLines - lineFeeds(first) - lineFeeds(last)),
    ...where,
  });
  const before = decode(first);
  return `${before}${before === "" || before.endsWith("\n") ? "" : "\n"}${marker}\n${decode(last)}`;
}

function lineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
