/** What processes use, from Linux's `/proc`: nothing here works elsewhere. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Usage {
  /** Processor time since their start, of children that have ended too. */
  readonly cpuMs: number;
  /** Of what several of them share, each has its part: once in the sum. */
  readonly residentMb: number;
  /** Of that, what no other process shares. */
  readonly privateMb: number;
  readonly processes: number;
}

/** The kernel's unit of processor time is a hundredth of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** Of a process and all that it has started and that still runs. */
export function usageOf(pid: number): Usage {
  const children = childrenByParent();
  const tree: number[] = [];
  const open = [pid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    tree.push(next);
    open.push(...(children.get(next) ?? []));
  }
  let [cpuMs, residentKb, privateKb, processes] = [0, 0, 0, 0];
  for (const one of tree) {
    const fields = statOf(one);
    if (fields === undefined) continue;
    processes++;
    // Its own two, and the two of children that it has waited for.
    for (const field of fields.slice(11, 15)) cpuMs += Number(field) * MS_PER_TICK;
    const memory = textOf(`/proc/${one}/smaps_rollup`);
    residentKb += sum(memory, /^Pss:\s+(\d+)/gm);
    privateKb += sum(memory, /^Private_(?:Clean|Dirty):\s+(\d+)/gm);
  }
  return { cpuMs, residentMb: residentKb / 1024, privateMb: privateKb / 1024, processes };
}

/** Bytes that the files of a folder take on the disk. */
export function diskBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    try {
      bytes += statSync(join(entry.parentPath, entry.name)).blocks * 512;
    } catch {
      // It was removed meanwhile.
    }
  }
  return bytes;
}

function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statOf(Number(name))?.[1]);
    if (!Number.isInteger(parent)) continue;
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** From the state on: what stands before may hold blanks and brackets. */
function statOf(pid: number): readonly string[] | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  return text === "" ? undefined : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function sum(text: string, pattern: RegExp): number {
  let total = 0;
  for (const [, number] of text.matchAll(pattern)) total += Number(number);
  return total;
}
