/**
 * Errors that a tool or an extension lets go of: a rejected promise that nobody holds, a throw in a timer. Node ends
 * the process at the first of them; a run is to end with its report instead, and a session to stay.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import type { HostTool } from "@nestbox/calls";

import { messageOf } from "@nestbox/tool";

export interface StrayErrors extends Disposable {
  /** The same tool; a call of it fails when it throws where nobody catches, for it may never end otherwise. */
  watched(tool: HostTool): HostTool;
}

/** Errors that are told; those after them are not. */
const MAX_TOLD = 20;

interface Call {
  readonly tool: string;
  readonly fail: (error: Error) => void;
}

/** Catches such errors of the whole process until it is disposed of. */
export function catchStrayErrors(
  warn: (message: string) => void,
  processLike: Pick<NodeJS.Process, "on" | "off"> = process,
): StrayErrors {
  const calls = new AsyncLocalStorage<Call>();
  let told = 0;
  const tell = (error: unknown): string => {
    const call = calls.getStore();
    const who = call === undefined ? "a tool or an extension" : `the tool ${call.tool}`;
    const message = `${who} let an error go that nobody caught: ${messageOf(error)}${placeOf(error)}`;
    told += 1;
    if (told <= MAX_TOLD) warn(message);
    if (told === MAX_TOLD) warn("more such errors are not told");
    return message;
  };
  const onRejection = (error: unknown): void => void tell(error);
  const onException = (error: unknown): void => {
    // Of the streams that the command itself writes to: nobody could be told of what follows.
    if (calls.getStore() === undefined && isWriteError(error)) throw error;
    const message = tell(error);
    calls.getStore()?.fail(new Error(message, { cause: error }));
  };
  processLike.on("unhandledRejection", onRejection);
  processLike.on("uncaughtException", onException);
  return {
    watched(tool) {
      // The host refuses it, and says why.
      if (typeof tool.execute !== "function") return tool;
      const execute: HostTool["execute"] = async (...args) => {
        const lost = Promise.withResolvers<never>();
        const call: Call = { tool: tool.name, fail: lost.reject };
        return Promise.race([calls.run(call, () => tool.execute(...args)), lost.promise]);
      };
      // A tool may be frozen, or an instance of a class: its own fields are not all that it has.
      const watched: HostTool = Object.create(Object.getPrototypeOf(tool) as object, {
        ...Object.getOwnPropertyDescriptors(tool),
        execute: { value: execute, enumerable: true },
      });
      return watched;
    },
    [Symbol.dispose]() {
      processLike.off("unhandledRejection", onRejection);
      processLike.off("uncaughtException", onException);
    },
  };
}

// What was thrown may have traps: looking at it is not to throw where nobody catches.

function isWriteError(error: unknown): boolean {
  try {
    return error instanceof Error && "syscall" in error && error.syscall === "write";
  } catch {
    return false;
  }
}

/** Where it was thrown first, as its stack says. */
function placeOf(error: unknown): string {
  try {
    if (!(error instanceof Error) || typeof error.stack !== "string") return "";
    const frame = error.stack.split("\n").find((line) => /^\s+at /.test(line));
    return frame === undefined ? "" : ` (${frame.trim()})`;
  } catch {
    return "";
  }
}
