/** One thing that a worker with `--json` says of itself. */
export interface WorkerLine {
  readonly event: string;
  readonly message: string;
}

/** `undefined`: the line is something else, as the last one of a command that was interrupted is. */
export function readWorkerLine(line: string): WorkerLine | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { event, message } = value as Readonly<Record<string, unknown>>;
  return typeof event === "string" && typeof message === "string" ? { event, message } : undefined;
}
