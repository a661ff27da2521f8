import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { startCluster } from "./cluster.ts";

test("the README's worker carries the README's run to its end", async () => {
  const cluster = await startCluster();
  cluster.create("readme");
  const run = (name: string) =>
    fork(fileURLToPath(new URL(`../readme/${name}.ts`, import.meta.url)), [cluster.url("readme")], {
      execArgv: ["--conditions=@nestbox/source", "--no-warnings"],
      stdio: "inherit",
    });
  const told = (child: ReturnType<typeof run>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`It ended with ${code}`)));
    });
  const worker = run("worker");
  try {
    expect(await told(worker)).toBe("ready");
    const client = run("client");
    expect(await told(client)).toBe(42);
    const exits = [client, worker].map((one) => new Promise((resolve) => one.once("exit", resolve)));
    worker.kill("SIGTERM");
    expect(await Promise.all(exits)).toEqual([0, 0]);
  } finally {
    worker.kill("SIGKILL");
    await cluster.close();
  }
});
