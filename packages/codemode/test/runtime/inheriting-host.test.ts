import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// Node hands on to its children what its own parent left open, and a shell such as dash can close nothing beyond 9.
test.runIf(process.platform === "linux")(
  "hostile 7: a sandbox has nothing open of what its host was started with",
  async () => {
    const file = fileURLToPath(new URL("./fixtures/inheriting-host.ts", import.meta.url));
    const places = [3, 4, 9, 10, 70];
    const stdio = Array.from({ length: 71 }, (_, fd) => (places.includes(fd) ? "pipe" : "ignore"));
    const host = spawn(process.execPath, ["--conditions=@nestbox/source", file, ...places.map(String)], {
      stdio: ["ignore", "pipe", "inherit", ...(stdio.slice(3) as ("pipe" | "ignore")[])],
    });
    const said = JSON.parse(await text(host.stdout as Readable)) as {
      readonly given: readonly string[];
      readonly open: readonly string[];
      readonly ok: boolean;
    };
    expect(said.ok).toBe(true);
    expect(new Set(said.given).size).toBe(places.length);
    expect(said.open.length).toBeGreaterThan(3);
    expect(said.open.filter((link) => said.given.includes(link))).toEqual([]);
  },
);
