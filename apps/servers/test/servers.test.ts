import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { afterEach, beforeEach, expect, it } from "vitest";

import { MissingServer } from "../src/missing-server.ts";
import { startProgram } from "../src/server-process.ts";
import { findPostgres, findRestate, freePort, isMissingServer } from "../src/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nestbox-servers-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Answers at a port, in a process of its own. */
const LISTENS = "require('node:http').createServer((_, to) => to.end('well')).listen(process.argv[1])";

async function program(port: number, code = LISTENS) {
  return await startProgram({
    name: "The server",
    folder,
    spawn: undefined,
    program: process.execPath,
    args: ["-e", code, String(port)],
    options: {},
    answers: () =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      ),
    endsWith: "SIGTERM",
  });
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it("starts a server, kills it, starts it again at the same place, and leaves no process and no folder", async () => {
  const port = await freePort();
  const server = await program(port);
  const { pid } = server;
  await server.kill();
  expect(isAlive(pid)).toBe(false);
  await server.start();
  expect(server.pid).not.toBe(pid);
  expect((await fetch(`http://127.0.0.1:${port}`)).status).toBe(200);
  const again = server.pid;
  await server.close();
  expect(isAlive(again)).toBe(false);
  expect(() => rmSync(folder)).toThrow(/ENOENT/);
});

it("says what a server that does not start has said, and leaves nothing of it", async () => {
  const said = "console.error('no room'); process.exit(1)";
  await expect(program(await freePort(), said)).rejects.toThrow(/The server does not start: no room/);
  expect(() => rmSync(folder)).toThrow(/ENOENT/);
});

it("takes no other program's answer for its own: it may have ended while it was asked", async () => {
  const ended = join(folder, "ended");
  const dying = startProgram({
    name: "The server",
    folder,
    spawn: undefined,
    program: process.execPath,
    args: ["-e", "process.on('exit', () => require('node:fs').writeFileSync(process.argv[1], ''))", ended],
    options: {},
    // Who answers here is somebody else, at the port that it could not have.
    async answers() {
      while (!existsSync(ended)) await setTimeout(5);
      await setTimeout(500);
      return true;
    },
    endsWith: "SIGTERM",
  });
  await expect(dying).rejects.toThrow("The server does not start");
});

it("finds the programs of PostgreSQL in the folder that is named, when all of them are there", () => {
  for (const name of ["initdb", "pg_isready", "postgres"]) writeFileSync(join(folder, name), "");
  expect(findPostgres({ NESTBOX_POSTGRES: folder })).not.toBe(folder);
  writeFileSync(join(folder, "psql"), "");
  expect(findPostgres({ NESTBOX_POSTGRES: folder })).toBe(folder);
});

it("finds the server of Restate that is named, and none where there is none", () => {
  expect(findRestate({ NESTBOX_RESTATE: folder })).toBeUndefined();
  const file = join(folder, "restate-server");
  expect(findRestate({ NESTBOX_RESTATE_SERVER: file })).toBeUndefined();
  writeFileSync(file, "");
  expect(findRestate({ NESTBOX_RESTATE_SERVER: file })).toBe(file);
});

it("tells a missing server from other errors", () => {
  expect(isMissingServer(new MissingServer("none"))).toBe(true);
  expect(isMissingServer(new Error("none"))).toBe(false);
});
