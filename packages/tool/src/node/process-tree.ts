import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ends everything that a command started, in ways that complete each other:
 *
 * - POSIX: the command leads a process group of its own, and the group is signalled.
 * - Linux: a process that left the group still carries the command's mark in its environment, or is the child of
 *   one that does, and is found in `/proc`, however often it forked and whoever adopted it later.
 * - Windows: `taskkill /T` walks the tree.
 *
 * Not found: a process that left the group, cleared its environment and lost its parent before anybody looked; on
 * other systems than Linux, one that left the group.
 */
export interface ProcessTree {
  readonly pid: number;
  /** Is in the value of {@link treeVariable} of every process of the tree. */
  readonly mark: string;
  /** Clock ticks since boot, on Linux: nothing older can be of this tree. */
  readonly startTime: number;
}

/** The tree of a process that was just started. */
export function processTree(pid: number, mark: string): ProcessTree {
  const stat = process.platform === "linux" ? parseStat(pid, readNow(`/proc/${pid}/stat`)) : undefined;
  return { pid, mark, startTime: stat?.startTime ?? 0 };
}

/** The environment variable that marks every process of a command. */
export const treeVariable = "NESTBOX_PROCESS_TREE";

/** Its value: the marks of the commands around this one, outermost first, so that each of them finds it. */
export function treeMarks(outer: string | undefined, mark: string): string {
  return outer === undefined || outer === "" ? mark : `${outer}:${mark}`;
}

/** How many times the tree is searched again for processes that were forked while it was being ended. */
const maxRounds = 20;

/** Asks the tree to end, waits up to `graceMs`, then kills what is left. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  if (process.platform === "win32") return endWindowsTree(tree.pid);
  const search = createSearch(tree);
  // Before anything is signalled: a parent that ends at once would take the trace to its children with it.
  const found = await search();
  signal(-tree.pid, "SIGTERM");
  for (const pid of found) signal(pid, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    if ((await search()).length === 0) return;
    await sleep(20);
  }
  await killFound(tree, search);
}

/** Kills what the command left running when it ended by itself. */
export async function killTree(tree: ProcessTree): Promise<void> {
  // Windows may have given the number to somebody else by now.
  if (process.platform !== "win32") await killFound(tree, createSearch(tree));
}

async function killFound(tree: ProcessTree, search: Search): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const left = await search();
    signal(-tree.pid, "SIGKILL");
    if (left.length === 0) return;
    for (const pid of left) signal(pid, "SIGKILL");
    await sleep(5 + round * 5);
  }
}

/** For the moment when the host itself exits and nothing can be awaited. */
export function killTreeNow({ pid, mark }: ProcessTree): void {
  if (process.platform === "win32") return signal(pid, "SIGKILL");
  signal(-pid, "SIGKILL");
  if (process.platform !== "linux") return;
  try {
    for (const name of readdirSync("/proc")) {
      if (isOther(Number(name)) && carries(readNow(`/proc/${name}/environ`), mark))
        signal(Number(name), "SIGKILL");
    }
  } catch {
    // Without /proc, the group is all that can be found.
  }
}

/** Who of the tree still runs. A zombie does not: it only waits until somebody asks how it ended. */
type Search = () => Promise<readonly number[]>;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** With the number, it names one process: numbers are used again. */
  readonly startTime: number;
}

/** Remembers who was found once: a process that loses its parent afterwards is still one of the tree. */
function createSearch({ pid: leader, mark, startTime: oldest }: ProcessTree): Search {
  const known = new Map<number, number>();
  return async () => {
    if (process.platform !== "linux") return groupAlive(leader) ? [-leader] : [];
    const stats: Stat[] = [];
    for (const name of await readdir("/proc").catch(() => [])) {
      if (!isOther(Number(name))) continue;
      const stat = parseStat(Number(name), await readFile(`/proc/${name}/stat`, "latin1").catch(() => ""));
      if (stat === undefined || stat.startTime < oldest) continue;
      stats.push(stat);
      const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
      if (stat.group === leader || carries(environment, mark)) known.set(stat.pid, stat.startTime);
    }
    const running = new Set(
      stats.filter(({ pid, startTime }) => known.get(pid) === startTime).map(({ pid }) => pid),
    );
    for (let before = -1; before !== running.size;) {
      before = running.size;
      for (const { pid, parent, startTime } of stats) {
        if (!running.has(parent) || running.has(pid)) continue;
        running.add(pid);
        known.set(pid, startTime);
      }
    }
    return [...running];
  };
}

/** `pid (name) state ppid pgrp … starttime …`: the name may hold spaces and brackets, so it is read from its end. */
function parseStat(pid: number, text: string): Stat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = Number(fields[19]);
  if (!Number.isInteger(startTime) || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), group: Number(group), startTime };
}

function readNow(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function isOther(pid: number): boolean {
  return Number.isInteger(pid) && pid !== process.pid;
}

function carries(environment: string, mark: string): boolean {
  return environment
    .split("\0")
    .some((entry) => entry.startsWith(`${treeVariable}=`) && entry.includes(mark));
}

/** A negative id is a process group. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already, or runs as somebody else: nothing to do in either case.
  }
}

function groupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
  });
}
