import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const host = fileURLToPath(new URL("fixtures/bun-host.ts", import.meta.url));

/** The Bun that the review package's `scripts/install-runners.sh` installed. Throws when it has not run: nothing is skipped. */
function bun(): string {
  const folder = process.env["NESTBOX_RUNNERS"] ?? join(tmpdir(), "nestbox-runners");
  const path = join(folder, "node_modules", ".bin", "bun");
  if (!existsSync(path))
    throw new Error(`There is no Bun in ${folder}: run packages/review/scripts/install-runners.sh`);
  return path;
}

async function runHost(args: readonly string[], path: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(bun(), ["--conditions=@nestbox/source", host, ...args], {
    env: { PATH: path, HOME: tmpdir() },
    timeout: 120_000,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

describe("a host that runs in Bun", () => {
  const expected = {
    bun: expect.stringMatching(/^\d+\./),
    outcomes: [
      {
        ok: true,
        value: [[2, 4, 6], 3],
        output: [],
        calls: ["double ok", "double ok", "double ok", "bytes ok"],
      },
      {
        ok: false,
        kind: "script",
        line: 2,
        stack: expect.stringMatching(/^RangeError: third\n {4}at .*codemode\.js:2:/),
        output: [{ type: "console", text: "before" }],
        calls: [],
      },
      { ok: false, kind: "timeout", stack: expect.stringContaining("CpuLimitError"), output: [], calls: [] },
    ],
  };

  test("has its scripts run by a Node that it names", async () => {
    expect(await runHost([process.execPath], "/nowhere")).toMatchObject(expected);
  });

  test("finds that Node on PATH: its own process is none", async () => {
    expect(await runHost([], dirname(process.execPath))).toMatchObject(expected);
  });
});
