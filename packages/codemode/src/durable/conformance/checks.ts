import { ConformanceError } from "../../conformance/driver-conformance.ts";
import type { DurableResult } from "../run-durable.ts";

export function valueOf(result: DurableResult): unknown {
  if (result.state === "ended" && result.outcome.ok) return result.outcome.value;
  throw new ConformanceError(`the run did not end well: ${textOf(result)}`);
}

export function errorOf(result: DurableResult): readonly [string, string] {
  if (result.state === "ended" && !result.outcome.ok)
    return [result.outcome.error.kind, result.outcome.error.message];
  throw new ConformanceError(`the run should have ended with an error: ${textOf(result)}`);
}

export function waitingFor(result: DurableResult): readonly (readonly [string, string])[] {
  if (result.state === "parked") return result.waitingFor.map(({ key, call }) => [key, call.name]);
  throw new ConformanceError(`the run should be parked: ${textOf(result)}`);
}

export function changedParts(result: DurableResult): readonly string[] {
  if (result.state === "halted" && result.halt.kind === "changed")
    return result.halt.differences.map(({ part }) => part);
  throw new ConformanceError(`the run should not go on here: ${textOf(result)}`);
}

const textOf = (result: DurableResult): string => JSON.stringify(result).slice(0, 500);

export async function rejects(running: Promise<unknown>): Promise<boolean> {
  try {
    await running;
    return false;
  } catch {
    return true;
  }
}

/** Eight at a time: what an engine makes of runs that go on side by side is part of what is shown. */
export async function each<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
