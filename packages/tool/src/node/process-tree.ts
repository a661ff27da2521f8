import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ends everything that a command started, in three ways that complete each other:
 *
 * - POSIX: the command leads a process group of its own, and the group is signalled.
 * - Linux: a process that left the group still carries the command's mark in its environment, and is found in
 *   `/proc` by it, however often it forked and whoever adopted it.
 * - Windows: `taskkill /T` walks the tree.
 *
 * Not found: a process that leaves the group and clears its environment, and on other systems than Linux one
 * that leaves the group.
 */
export interface ProcessTree {
  readonly pid: number;
  /** Value of {@link treeVariable} in the environment of every process of the tree. */
  readonly mark: string;
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
  signal(-tree.pid, "SIGTERM");
  for (const pid of await survivors(tree)) signal(pid, "SIGTERM");
  const deadline = performance.now() + graceMs;
  while (performance.now() < deadline) {
    if ((await survivors(tree)).length === 0) return;
    await sleep(20);
  }
  await killTree(tree);
}

/** Kills what is left of the tree, without asking. */
export async function killTree(tree: ProcessTree): Promise<void> {
  if (process.platform === "win32") return endWindowsTree(tree.pid);
  for (let round = 0; round < maxRounds; round += 1) {
    signal(-tree.pid, "SIGKILL");
    const left = await survivors(tree);
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

/** Who of the tree still runs. A zombie does not: it only waits until somebody asks how it ended. */
async function survivors({ pid: leader, mark }: ProcessTree): Promise<readonly number[]> {
  const group = groupAlive(leader);
  if (process.platform !== "linux") return group ? [-leader] : [];
  const found: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    const pid = Number(name);
    if (!isOther(pid)) continue;
    const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
    if (carries(environment, mark) || (group && (await inGroup(name, leader)))) found.push(pid);
  }
  return found;
}

async function inGroup(pid: string, group: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // pid (name) state ppid pgrp …: the name may hold spaces and brackets, so read from its end.
  const [state, , pgrp] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return pgrp === String(group) && state !== "Z" && state !== "X";
}

function endWindowsTree(pid: number): Promise<void> {
  return new Promise((resolve) => {
    execFile("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true }, () => resolve());
  });
}
