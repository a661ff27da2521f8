import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findNode } from "../../src/node/index.ts";
import { rememberNode } from "../../src/node/remember-node.ts";

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
    path["mute"] = fake("mute", "exit 0");
    // What it starts keeps the output open for as long as anybody waits.
    path["deaf"] = fake("deaf", "trap '' TERM\nsleep 20 &\nwhile :; do sleep 0.2; done");
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
      message: expect.stringContaining(`looked at ${nodeOf("v22")} (v22.3.1).`),
    });
  });

  test("and where what it names is no Node, the error says what it is", async () => {
    const wrong: [name: string, told: string][] = [
      [nodeOf("broken"), "does not run"],
      [nodeOf("shim"), "hello"],
      [nodeOf("mute"), "says nothing"],
      [nodeOf("plain"), "may not be executed"],
      [folder, "a folder"],
      [join(folder, "nowhere"), "no such file"],
      [join(nodeOf("v24"), "below"), "no such file"],
      ["nowhere-at-all", "not on PATH"],
      ["", "no path"],
      ["  ", "no path"],
      ["/bin\0/sh", "no path"],
    ];
    for (const [nodePath, told] of wrong) {
      const failure = findNode({ nodePath, env: PATH("v26"), own: old });
      await expect(failure).rejects.toMatchObject({
        code: "no-node",
        message: expect.stringContaining(` (${told}). Install`),
      });
    }
  });

  test("is an absolute path, also where the option is a name or starts at this folder", async () => {
    expect(await findNode({ nodePath: relative(process.cwd(), nodeOf("v24")), env: {} })).toBe(nodeOf("v24"));
    expect(await findNode({ nodePath: "node", env: PATH("v26", "v24"), own: old })).toBe(nodeOf("v26"));
    const env = { PATH: relative(process.cwd(), path["v24"] ?? "") };
    expect(await findNode({ env, own: "none" })).toBe(nodeOf("v24"));
  });

  test("is not waited for when it gives no answer, whatever it makes of signals and leaves behind", async () => {
    const failure = findNode({ nodePath: nodeOf("deaf"), env: {}, answerMs: 300 });
    await expect(failure).rejects.toMatchObject({
      message: expect.stringContaining(`${nodeOf("deaf")} (gave no answer within 0.3 s)`),
    });
    expect(await findNode({ env: PATH("deaf", "v24"), own: old, answerMs: 300 })).toBe(nodeOf("v24"));
  });

  test("is the real one where a version manager stands in for it", async () => {
    // As such stand-ins do, it finds nothing without the person's environment.
    const stands = `[ -n "$MANAGER_HOME" ] || exit 1\n[ -z "$NODE_OPTIONS" ] || echo noise\nexec "$MANAGER_HOME/$ASKED" "$@"`;
    path["stand-in"] = fake("stand-in", stands);
    path["answers"] = fake(
      "answers",
      `case $1 in --version) echo v26.1.0;; *) echo "${folder}/answers/node";; esac`,
    );
    path["older"] = fake(
      "older",
      `case $1 in --version) echo v22.1.0;; *) echo "${folder}/older/node";; esac`,
    );
    const env = { ...PATH("stand-in"), MANAGER_HOME: folder, NODE_OPTIONS: "--require x" };
    expect(await findNode({ env: { ...env, ASKED: "answers/node" }, own: "none" })).toBe(nodeOf("answers"));
    expect(await findNode({ nodePath: "node", env: { ...env, ASKED: "answers/node" } })).toBe(
      nodeOf("answers"),
    );
    await expect(findNode({ env: { ...env, ASKED: "older/node" }, own: "none" })).rejects.toMatchObject({
      message: expect.stringContaining(`${nodeOf("stand-in")} (v22.1.0, ${nodeOf("older")})`),
    });
    await expect(findNode({ env: { ...env, ASKED: "nothing" }, own: "none" })).rejects.toMatchObject({
      message: expect.stringContaining(`${nodeOf("stand-in")} (does not run)`),
    });
  });

  test("is looked for again when none was there, or when it is there no more", async () => {
    const found = [nodeOf("v24"), join(folder, "removed"), nodeOf("v26")];
    let looks = 0;
    const find = rememberNode(async () => {
      if (looks++ === 0) throw new Error("none yet");
      return found.shift() ?? "";
    });
    await expect(find()).rejects.toThrow("none yet");
    expect([await find(), await find(), looks]).toEqual([nodeOf("v24"), nodeOf("v24"), 2]);
    chmodSync(nodeOf("v24"), 0o644);
    expect(await find().finally(() => chmodSync(nodeOf("v24"), 0o755))).toBe(join(folder, "removed"));
    expect([await find(), looks]).toEqual([nodeOf("v26"), 4]);
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
      await findNode({ env: PATH("v20", "", "nowhere", "plain", "broken", "mute", "v26", "v24"), own: old }),
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
      `looked at /opt/old/node (v22.20.0), ${nodeOf("v20")} (v20.3.1), ${nodeOf("v23")} (v23.3.1), ` +
        `${nodeOf("v25")} (v25.3.1), ${nodeOf("v27")} (v27.3.1), ${nodeOf("shim")} (hello), ${nodeOf("broken")} (does not run).`,
    );
    expect(message).toMatch(/need Node 24 or 26.*nodePath option \(--node on a command line\)/);
  });
});
