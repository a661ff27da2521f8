import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const isThere = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

test.runIf(process.platform === "linux").each(["SIGKILL", "SIGTERM"] as const)(
  "hostile 46: a host that is ended by %s leaves no script behind that nothing interrupts",
  { timeout: 120_000 },
  async (signal) => {
    const file = fileURLToPath(new URL("./fixtures/killed-host.ts", import.meta.url));
    const host = spawn(process.execPath, ["--conditions=@nestbox/source", file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(host.stdout, "data")) as [Buffer];
    const pids = JSON.parse(line.toString()) as readonly number[];
    expect(pids).toHaveLength(1);
    expect(pids.filter(isThere)).toEqual(pids);
    host.kill(signal);
    await expect.poll(() => pids.filter(isThere), { timeout: 60_000 }).toEqual([]);
  },
);
