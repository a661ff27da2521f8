/** One way to run a script; every engine runs the same scripts with the same tools in a process of its own. */
export interface Engine {
  /** Node major that it needs; unset: any. */
  readonly node?: number;
  open(tools: BenchTools): Promise<EngineSession>;
}

export interface EngineSession {
  /** Runs the body of an async function and resolves to what it returns; rejects when it fails. */
  run(code: string): Promise<unknown>;
  close(): Promise<void>;
}

export type BenchTools = Readonly<
  Record<string, (args: Readonly<Record<string, unknown>>) => Promise<unknown>>
>;
