import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

const ASK_EVERY_MS = 500;

/**
 * Resident memory of a process: read from `/proc` on Linux, asked of `ps` every half second on other Unixes (the
 * answer is then that old), unknown on Windows.
 */
export function memoryReader(): (pid: number) => number | undefined {
  if (process.platform === "linux") return fromProc;
  if (process.platform === "win32") return () => undefined;
  let last: number | undefined;
  let asked = Number.NEGATIVE_INFINITY;
  return (pid) => {
    const now = performance.now();
    if (now - asked >= ASK_EVERY_MS) {
      asked = now;
      execFile("/bin/ps", ["-o", "rss=", "-p", String(pid)], { timeout: 2_000 }, (error, stdout) => {
        const kilobytes = Number.parseInt(stdout, 10);
        if (error === null && Number.isFinite(kilobytes)) last = kilobytes * 1_024;
      });
    }
    return last;
  };
}

function fromProc(pid: number): number | undefined {
  try {
    // In kilobytes, whatever the page size is.
    const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
  } catch {
    return undefined;
  }
}
