import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNode } from "../../src/node/index.ts";

const folder = mkdtempSync(join(tmpdir(), "find-node-"));
const old = { path: "/opt/old/node", version: "v22.20.0" };

/** A folder with a `node` that prints `answer`, as PATH names it. */
function fake(name: string, answer: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, "node"), `#!/bin/sh\n${answer}\n`);
  chmodSync(join(path, "node"), 0o755);
  return path;
}

const path: Record<string, string> = {};
const PATH = (...names: string[]) => ({ PATH: names.map((name) => path[name] ?? name).join(delimiter) });
const nodeOf = (name: string): string => join(path[name] ?? "", "node");

// contract R12
describe.runIf(process.platform !== "win32")("the Node that runs sandboxes", () => {
  beforeAll(() => {
    for (const major of [20, 22, 23, 24, 25, 26, 27])
      path[`v${major}`] = fake(`v${major}`, `echo v${major}.3.1`);
    path["broken"] = fake("broken", "exit 3");
    path["shim"] = fake("shim", "echo hello");
    path["plain"] = fake("plain", "echo v24.0.0");
    chmodSync(nodeOf("plain"), 0o644);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is the one that the option names, and no other is looked for when that one does not fit", async () => {
    const own = { path: "/opt/own/node", version: "v26.1.0" };
    expect(await findNode({ nodePath: nodeOf("v24"), env: PATH("v26"), own })).toBe(nodeOf("v24"));
    await expect(findNode({ nodePath: nodeOf("v22"), env: PATH("v26"), own })).rejects.toMatchObject({
      code: "no-node",
      message: expect.stringContaining(`found ${nodeOf("v22")} (v22.3.1).`),
    });
    await expect(findNode({ nodePath: nodeOf("broken"), env: PATH("v26"), own })).rejects.toMatchObject({
      message: expect.stringContaining(`${nodeOf("broken")} (does not run)`),
    });
  });

  test("else this process's own, before anything on PATH", async () => {
    for (const version of ["v24.0.0", "v26.9.0"]) {
      const own = { path: "/opt/own/node", version };
      expect(await findNode({ env: PATH("v24", "v26"), own })).toBe("/opt/own/node");
    }
    expect(await findNode({ env: PATH("v24") })).toBe(process.execPath);
  });

  test("else the first on PATH that fits and runs", async () => {
    expect(
      await findNode({ env: PATH("v20", "", "nowhere", "plain", "broken", "v26", "v24"), own: old }),
    ).toBe(nodeOf("v26"));
    expect(await findNode({ env: PATH("shim", "v24", "v26"), own: old })).toBe(nodeOf("v24"));
  });

  test("which is also where a runtime looks that is no Node", async () => {
    expect(await findNode({ env: PATH("v22", "v24"), own: "none" })).toBe(nodeOf("v24"));
    await expect(findNode({ env: {}, own: "none" })).rejects.toMatchObject({
      code: "no-node",
      message: expect.stringContaining("none was found"),
    });
  });

  test("and where none fits, the error lists every one that was looked at with its version", async () => {
    const failure = findNode({ env: PATH("v20", "v23", "v25", "v27", "shim", "broken"), own: old });
    await expect(failure).rejects.toMatchObject({ code: "no-node" });
    const { message } = (await failure.catch((error: unknown) => error)) as Error;
    expect(message).toContain(
      `found /opt/old/node (v22.20.0), ${nodeOf("v20")} (v20.3.1), ${nodeOf("v23")} (v23.3.1), ` +
        `${nodeOf("v25")} (v25.3.1), ${nodeOf("v27")} (v27.3.1), ${nodeOf("shim")} (hello), ${nodeOf("broken")} (does not run).`,
    );
    expect(message).toMatch(/need Node 24 or 26.*nodePath option \(--node on a command line\)/);
  });
});
