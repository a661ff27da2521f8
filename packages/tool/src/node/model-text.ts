import { writeFile } from "node:fs/promises";
import { truncateText, type TruncatedText } from "../truncate.ts";
import { openOutputFolder, type OutputFolder } from "./output-folder.ts";
import type { CommandResult } from "./run-command.ts";

export interface ModelTextOptions {
  /** Where the complete text goes when it is cut. Default: `openOutputFolder()`. */
  readonly outputFolder?: OutputFolder;
  /** Default: Pi's limits, 50 KiB and 2,000 lines. */
  readonly maxBytes?: number;
  readonly maxLines?: number;
  readonly keep?: "ends" | "head" | "tail";
}

/** A text that fits the model, and where the complete one is. */
export interface ModelText extends TruncatedText {
  readonly fullOutputPath?: string;
}

/**
 * Cuts a text for the model and keeps the complete one in a file that the marker names (contract A12). Where the file
 * cannot be written, the marker names none.
 */
export async function modelText(text: string, options: ModelTextOptions = {}): Promise<ModelText> {
  const cut = truncateText(text, limits(options));
  if (!cut.truncated) return cut;
  const fullOutputPath = await store(text, options.outputFolder);
  if (fullOutputPath === undefined) return cut;
  return { ...truncateText(text, { ...limits(options), fullOutputPath }), fullOutputPath };
}

/** The output of a command for the model; its complete output is the file that `runCommand` made, or a new one. */
export async function commandText(result: CommandResult, options: ModelTextOptions = {}): Promise<ModelText> {
  const { output, fullOutputPath, totalBytes } = result;
  if (fullOutputPath === undefined) return modelText(output, options);
  const told = {
    fullOutputPath,
    completeBytes: totalBytes,
    ...(result.fullOutputIncomplete === true ? { fullOutputIncomplete: true } : {}),
  };
  return { ...truncateText(output, { ...limits(options), ...told }), truncated: true, fullOutputPath };
}

async function store(text: string, given: OutputFolder | undefined): Promise<string | undefined> {
  try {
    const folder = given ?? (await openOutputFolder());
    const path = folder.nextFile();
    await writeFile(path, text, { flag: "wx", mode: 0o600 });
    return path;
  } catch {
    return undefined;
  }
}

function limits({ maxBytes, maxLines, keep }: ModelTextOptions) {
  return {
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(keep === undefined ? {} : { keep }),
  };
}
