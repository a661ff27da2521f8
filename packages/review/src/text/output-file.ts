export interface OutputFile {
  readonly fullOutputPath?: string | undefined;
  readonly fullOutputIncomplete?: boolean | undefined;
}

/** The line that names the file with an output, for those that have one (contract A12). */
export function outputFileLines({ fullOutputPath, fullOutputIncomplete }: OutputFile): readonly string[] {
  if (fullOutputPath === undefined) return [];
  const what = fullOutputIncomplete === true ? "As much of the output as was kept" : "Complete output";
  return [`${what}: ${fullOutputPath}`];
}
