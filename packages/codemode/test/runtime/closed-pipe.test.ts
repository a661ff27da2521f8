import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { watchedRunner } from "./crossings.ts";
import { fakeCaller } from "./fake-caller.ts";

const closedPipe = fileURLToPath(new URL("./fixtures/closed-pipe.ts", import.meta.url));

test("hostile 7: a sandbox that closes its output is ended, and nothing is read from what has its descriptor now", async () => {
  const folder = mkdtempSync(join(tmpdir(), "closed-pipe-"));
  const { runner, started } = watchedRunner({}, [closedPipe]);
  onTestFinished(async () => {
    await runner.close();
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "own.txt");
  writeFileSync(file, "the host's own");
  const descriptors: number[] = [];
  let calls = 0;
  const caller = fakeCaller([
    {
      name: "noop",
      async run() {
        // The descriptor is free by now; whatever the host opens gets it.
        await new Promise((resolve) => setTimeout(resolve, 100));
        for (let i = 0; i < 20; i++) descriptors.push(openSync(file, "r"));
        calls++;
        return {};
      },
    },
  ]);
  const outcome = await runner.run({ code: "return 1", caller });
  expect(outcome).toMatchObject({ ok: false, error: { kind: "sandbox" } });
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const fd of descriptors) {
    expect(readFileSync(fd, "utf8")).toBe("the host's own");
    closeSync(fd);
  }
  expect(await runner.run({ code: "return 2", caller })).toMatchObject({ ok: true, value: 2 });
  expect(started()).toBe(2);
});
