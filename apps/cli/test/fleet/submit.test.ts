import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { FleetError } from "../../src/fleet/engine.ts";
import { away, command, ended, failed, fakeFleet, HOSTILE, NOW, OBEYED } from "../support/fake-fleet.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-submit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("nestbox submit", () => {
  it("gives a script and limits, says the id on standard output and what to do next beside it", async () => {
    const fleet = fakeFleet();
    const file = join(folder, "my release.ts");
    writeFileSync(file, "return 1");
    const told = await command(fleet, [
      "submit",
      file,
      "--deadline",
      "7d",
      "--memory-mb",
      "64",
      "--data",
      "n=5",
      "--data",
      "who=Ada Lovelace",
    ]);
    expect(told.stderr).toBe("nestbox: submitted; to see it: nestbox logs my-release-0123456789 --follow\n");
    expect(told.stdout).toBe("my-release-0123456789\n");
    expect(told.exitCode).toBe(0);
    expect(fleet.runs.get("my-release-0123456789")?.script).toEqual({
      code: "return 1",
      store: { n: "5", who: '"Ada Lovelace"' },
      limits: { memoryMb: 64 },
      deadlineMs: 7 * 86_400_000,
    });
    expect(fleet.closed).toBe(1);
  });

  it("says the next command with the config that it was given", async () => {
    const words = ["submit", "-e", "return 1", "--id", "x", "--config", "fleet.jsonc"];
    const told = await command(fakeFleet(), words);
    expect(told.stderr).toBe("nestbox: submitted; to see it: nestbox logs x --follow --config fleet.jsonc\n");
  });

  it("says to start a worker where the fleet has had none", async () => {
    const fleet = fakeFleet();
    Object.assign(fleet.world, {
      open: () => Promise.reject(new FleetError("refused", "There are no runs in this database")),
    });
    const told = await command(fleet, ["submit", "-e", "return 1", "--config", "fleet.jsonc"]);
    expect(told.stderr).toContain("start one first: nestbox worker --config fleet.jsonc\n");
    expect(told.exitCode).toBe(7);
  });

  it("takes the script from standard input and from --eval", async () => {
    const fleet = fakeFleet();
    await command(fleet, ["submit", "-", "--id", "in"], { stdin: "return 'in'" });
    await command(fleet, ["submit", "--eval", "return 'eval'", "--id", "eval"]);
    expect(fleet.runs.get("in")?.script).toEqual({ code: "return 'in'" });
    expect(fleet.runs.get("eval")?.script).toEqual({ code: "return 'eval'" });
  });

  it("begins a run once, and refuses its id to another script", async () => {
    const fleet = fakeFleet();
    const submit = (code: string) => command(fleet, ["submit", "-e", code, "--id", "x", "--json"]);
    expect((await submit("return 1")).json).toEqual([{ ok: true, runId: "x", begun: true }]);
    expect((await submit("return 1")).json).toEqual([{ ok: true, runId: "x", begun: false }]);
    const other = await submit("return 2");
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toBe(
      "nestbox: The id x belongs to a run of another script. Choose another --id, or leave it out.\n",
    );
    expect(other.json).toMatchObject([{ ok: false, error: { kind: "usage" } }]);
  });

  it.each([
    [["submit"], /missing required argument 'script'/],
    [["submit", "a.ts", "-e", "return 1"], /Both a script/],
    [["submit", "-e", "return 1", "--deadline", "soon"], /45s, 90m, 36h or 7d/],
    [["submit", "-e", "return 1", "--deadline", "0s"], /must be a time/],
    [["submit", "-e", "return 1", "--data", "=1"], /--data =1: it must be name=value/],
    [["submit", "-e", "return 1", "--tools", "evil.mjs"], /unknown option '--tools'/],
    [["submit", "-e", "return 1", "--policy", "mine.jsonc"], /unknown option '--policy'/],
  ])("does not send words that are wrong: %j", async (words, message) => {
    const fleet = fakeFleet();
    const told = await command(fleet, words);
    expect(told.stderr).toMatch(message);
    expect(told.exitCode).toBe(2);
    expect(fleet.runs.size).toBe(0);
  });

  it("says that a script's own timeout is left out", async () => {
    const fleet = fakeFleet();
    const source = '// @options: {"timeout_ms": 5}\nreturn 1';
    const told = await command(fleet, ["submit", "-", "--id", "x"], { stdin: source });
    expect(told.stderr).toMatch(/own timeout counts the time of one process and is left out/);
    expect(fleet.runs.get("x")?.script?.limits).toBeUndefined();
  });

  it("waits for the end and prints it as run does, saying once that a person is waited for", async () => {
    const fleet = fakeFleet();
    let pauses = 0;
    fleet.onPause = () => {
      pauses++;
      const run = { runId: "x", createdAt: NOW };
      if (pauses < 4) fleet.runs.set("x", { run: { ...run, state: "parked", waitingFor: 2 } });
      else fleet.runs.set("x", { run: { ...run, state: "ended" }, outcome: ended({ n: 1 }) });
    };
    const told = await command(fleet, ["submit", "-e", "return 1", "--id", "x", "--wait"]);
    expect(told.stderr).toBe("nestbox: submitted as x\nnestbox: x waits for 2 answers: nestbox approve x\n");
    expect(told.stdout).toBe('{\n  "n": 1\n}\n');
    expect(told.exitCode).toBe(0);
  });

  it("ends with the exit code of the script's error, and its JSON is that of run", async () => {
    const fleet = fakeFleet();
    fleet.onPause = () =>
      void fleet.runs.set("x", { run: { runId: "x", state: "ended" }, outcome: failed("no") });
    const told = await command(fleet, ["submit", "-e", "throw 1", "--id", "x", "--wait", "--json"]);
    expect(told.exitCode).toBe(1);
    expect(told.json).toMatchObject([
      {
        ok: false,
        runId: "x",
        begun: true,
        value: null,
        error: { kind: "script", message: "no" },
        calls: [],
      },
    ]);
  });

  it("stops waiting for a run that has been removed", async () => {
    const fleet = fakeFleet();
    let pauses = 0;
    fleet.onPause = () => {
      if (++pauses === 2) fleet.runs.delete("x");
      if (pauses > 20) throw new Error("It looks on and on");
    };
    const told = await command(fleet, ["submit", "-e", "return 1", "--id", "x", "--wait"]);
    expect(told.stderr).toContain("There is no run x in this fleet");
    expect(told.exitCode).toBe(2);
  });

  it("stops waiting for a run that is halted, and says why", async () => {
    const fleet = fakeFleet();
    fleet.onPause = () =>
      void fleet.runs.set("x", {
        run: { runId: "x", state: "halted", message: `tool deploy was changed${HOSTILE}` },
      });
    const told = await command(fleet, ["submit", "-e", "return 1", "--id", "x", "--wait"]);
    expect(told.exitCode).toBe(7);
    expect(told.stderr).toMatch(/x is halted: tool deploy was changed.*nestbox resume x\n$/);
    expect(told.stderr).not.toMatch(OBEYED);
  });

  it("leaves the run alone when it is interrupted, and says so", async () => {
    const fleet = fakeFleet();
    const controller = new AbortController();
    fleet.onPause = () => controller.abort();
    const words = ["submit", "-e", "return 1", "--id", "x", "--wait"];
    const told = await command(fleet, words, { signal: controller.signal });
    expect(told.exitCode).toBe(130);
    expect(told.stderr).toMatch(/x goes on without this command/);
    expect(fleet.woken).toEqual([]);
  });

  it("waits through an absence of the server", async () => {
    const fleet = fakeFleet();
    fleet.onLook = (look) => {
      if (look < 4) throw away();
      fleet.runs.set("x", { run: { runId: "x", state: "ended" }, outcome: ended("done") });
    };
    const told = await command(fleet, ["submit", "-e", "return 1", "--id", "x", "--wait"]);
    expect(told.stderr).toBe(
      "nestbox: submitted as x\nnestbox: The database does not answer; trying until it does\nnestbox: the server answers again\n",
    );
    expect(told.stdout).toBe("done\n");
  });
});
