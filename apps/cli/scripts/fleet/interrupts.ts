/** However often it is interrupted, what was started is ended first. */
import { spawn } from "node:child_process";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * What the work resolves with; rejects when it is interrupted, or makes a mistake that nobody has caught. From now on
 * nothing but its own end ends this process: whoever calls this tidies up, and ends it.
 */
export async function untilInterrupted<T>(work: () => Promise<T>): Promise<T> {
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const signal of SIGNALS) process.on(signal, () => reject(new Error("it was interrupted")));
    for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, reject);
  });
  interrupted.catch(() => undefined);
  return await Promise.race([interrupted, work()]);
}

/** Resolves with the exit code of a program that takes the place of this one: it gets the signals as well. */
export async function inItsPlace(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit" });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code ?? 1));
  });
}
