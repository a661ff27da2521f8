import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { JsonValue } from "@nestbox/tool";
import { ConformanceError } from "../../../conformance/driver-conformance.ts";
import type { DurableConformanceOptions } from "../durable-conformance.ts";
import { crashFiles, type CrashOrder, ORDER_VARIABLE } from "./crash-files.ts";

export interface CrashProcessesOptions {
  /** The program that calls `crashProcess()`. */
  readonly program: URL;
  /** An empty folder, where what was told outlives the processes. */
  readonly folder: string;
  /** What the program's `open` is given: where the journal is. */
  readonly config: JsonValue;
  /** Before the program; default: none. */
  readonly nodeOptions?: readonly string[];
  /** Milliseconds that a process may take, then it is killed and the case fails. Default 120,000. */
  readonly processMs?: number;
}

const STDERR_CHARS = 4_000;

/** Real deaths for `durableConformance()`: each process is `program`, under this very Node. */
export function crashProcesses(
  options: CrashProcessesOptions,
): NonNullable<DurableConformanceOptions["crash"]> {
  const { program, folder, config, nodeOptions = [], processMs = 120_000 } = options;

  function run(order: CrashOrder): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...nodeOptions, fileURLToPath(program)], {
        stdio: ["ignore", "ignore", "pipe"],
        env: { ...process.env, [ORDER_VARIABLE]: JSON.stringify(order) },
      });
      let late = false;
      let stderr = "";
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, processMs);
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr = (stderr + text).slice(-STDERR_CHARS);
      });
      child.on("error", (error) => {
        clearTimeout(timer);
        reject(new ConformanceError(`The process does not start: ${error.message}`));
      });
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        const end = late ? `was killed after ${processMs} ms` : `ended with ${signal ?? code}`;
        resolve(stderr === "" ? end : `${end}, after: ${stderr}`);
      });
    });
  }

  return {
    async die(runId, at) {
      const end = await run({ folder, runId, at, config });
      if (!end.startsWith("ended with SIGKILL"))
        throw new ConformanceError(`The process that was to die ${end}`);
    },
    async carryOn(runId) {
      const files = crashFiles(folder, runId);
      files.forgetResult();
      const end = await run({ folder, runId, config });
      const result = files.result();
      if (!end.startsWith("ended with 0") || result === undefined)
        throw new ConformanceError(`The process that carries the run on ${end}`);
      return result;
    },
    effects: (runId) => Promise.resolve(crashFiles(folder, runId).effects()),
  };
}
