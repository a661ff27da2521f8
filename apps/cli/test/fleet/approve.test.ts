import { showText } from "@nestbox/policy";
import { describe, expect, it } from "vitest";

import type { FleetContents, FleetQuestion, FleetStep } from "../../src/fleet/engine.ts";
import { command, fakeFleet, NOW } from "../support/fake-fleet.ts";

const question = (key: string, name: string): FleetQuestion => ({
  runId: "x",
  key,
  name,
  arguments: `{"to":"${name}"}`,
  fingerprint: `of ${key}`,
  reason: "Others will see it",
  rule: "others-see-it",
  layer: "user",
  lines: [`${name} production`],
  folder: "/srv/app",
});

const waiting = (...questions: readonly FleetQuestion[]) =>
  fakeFleet([{ run: { runId: "x", state: "parked", waitingFor: questions.length }, questions }]);

describe("nestbox approve", () => {
  it("shows what is asked and sends the answer for exactly that, with who gave it", async () => {
    const fleet = waiting(question("1", "deploy"));
    const told = await command(fleet, ["approve", "x", "--yes", "--reason", "looked at"]);
    expect(told.stderr).toBe(
      [
        "The run x asks:",
        "deploy wants to run (key 1):",
        "  deploy production",
        "  in /srv/app",
        "  asked by others-see-it (user): Others will see it",
        "nestbox: approved: deploy of x",
        "",
      ].join("\n"),
    );
    expect(told.exitCode).toBe(0);
    expect(fleet.woken).toEqual([
      {
        runId: "x",
        key: "1",
        value: { kind: "approved", fingerprint: "of 1", comment: "looked at", by: "ada", at: NOW },
      },
    ]);
  });

  it("says of a long line how much is left out, and leaves no more out than the one who asks did", async () => {
    const text = `${"A".repeat(5_000)}\u001b${"B".repeat(5_000)}`;
    for (const line of [showText(text, 2_000), showText("\u200b".repeat(9_000), 2_000)]) {
      const fleet = waiting({ ...question("1", "deploy"), lines: [line] });
      const { stderr } = await command(fleet, ["approve", "x", "--yes"]);
      expect(stderr).toContain(`  ${line}\n`);
      expect(stderr.match(/characters left out/g)).toHaveLength(1);
    }
  });

  it("says no with --deny, without asking", async () => {
    const fleet = waiting(question("1", "deploy"));
    const told = await command(fleet, ["approve", "x", "--deny", "--reason", "not today", "--json"]);
    expect(fleet.woken[0]?.value).toMatchObject({ kind: "declined", comment: "not today" });
    expect(told.json).toMatchObject([
      { ok: true, runId: "x", key: "1", decided: "declined", question: { name: "deploy" } },
    ]);
  });

  it("is refused where nobody can be asked", async () => {
    const fleet = waiting(question("1", "deploy"));
    const told = await command(fleet, ["approve", "x"], { stdin: "y\n" });
    expect(told.stderr).toContain("There is no terminal to ask at");
    expect(told.exitCode).toBe(2);
    expect(fleet.woken).toEqual([]);
  });

  it.each([
    ["y\n", 0, 1],
    ["YES\n", 0, 1],
    ["n\n", 1, 0],
    ["\n", 1, 0],
    ["yep\n", 1, 0],
  ])("asks at a terminal, where %j gives exit code %i", async (typed, exitCode, woken) => {
    const fleet = waiting(question("1", "deploy"));
    slow(fleet);
    const told = await command(fleet, ["approve", "x"], { typed });
    expect(told.exitCode).toBe(exitCode);
    expect(fleet.woken.length).toBe(woken);
    expect(told.stderr.includes("nothing was decided")).toBe(woken === 0);
  });

  it("asks again about what was typed before the question could be read", async () => {
    const fleet = waiting(question("1", "deploy"));
    let asked = 0;
    slow(fleet, () => (++asked === 1 ? 10 : 1_000));
    const told = await command(fleet, ["approve", "x"], { typed: "y\n" });
    expect(told.stderr).toContain("typed before the question could be read");
    expect(asked).toBe(2);
    expect(fleet.woken.length).toBe(1);
  });

  it("wants the key where more than one thing is asked, and lists them", async () => {
    const fleet = waiting(question("1", "deploy"), question("2", "notify"));
    const told = await command(fleet, ["approve", "x", "--yes"]);
    expect(told.stderr).toBe(
      'nestbox: The run x asks more than one thing. Say which, by its key: nestbox approve x KEY\n  1  deploy {"to":"deploy"}\n  2  notify {"to":"notify"}\n',
    );
    expect(told.exitCode).toBe(2);
    expect(fleet.woken).toEqual([]);
    await command(fleet, ["approve", "x", "2", "--yes"]);
    expect(fleet.woken.map(({ key }) => key)).toEqual(["2"]);
    const other = await command(fleet, ["approve", "x", "9", "--yes"]);
    expect(other.stderr).toContain("asks nothing with the key 9 now");
  });

  it("says who was first where somebody was", async () => {
    const fleet = waiting(question("1", "deploy"));
    await command(fleet, ["approve", "x", "--deny"]);
    const told = await command(fleet, ["approve", "x", "--yes"]);
    expect(told.stderr).toContain("somebody was first: deploy of x was declined");
    expect(told.exitCode).toBe(1);
    expect(fleet.woken.length).toBe(1);
  });

  it.each(["running", "ended"] as const)(
    "says which answer counts to whoever comes when the run has gone on with it and is %s",
    async (state) => {
      const record = (call: number, name: string): FleetStep => ({
        key: String(call),
        state: "done",
        value: {
          call: { name, hash: "h", args: "{}" },
          at: NOW,
          end: { kind: "asked", question: { toolName: name, reason: "", fingerprint: "f" } },
        },
      });
      const answer = (key: string, kind: string, at: number) => ({
        key,
        question: {},
        value: { kind, by: "grace\u001b[2J", at },
        wokenAt: at,
      });
      const contents: FleetContents = {
        complete: true,
        steps: [record(1, "deploy"), record(2, "notify"), record(3, "open")],
        waits: [
          answer("1", "declined", NOW + 9),
          answer("2", "approved", NOW + 5),
          { key: "3", question: {} },
        ],
      };
      const fleet = fakeFleet([{ run: { runId: "x", state }, contents }]);
      const late = await command(fleet, ["approve", "x", "--yes", "--json"]);
      expect(late.stderr).toContain(
        "somebody was first: deploy of x (key 1) was declined by grace\\x1b[2J\n",
      );
      expect(late.json).toEqual([{ ok: false, runId: "x", key: "1", decided: "declined" }]);
      expect(late.exitCode).toBe(1);
      const other = await command(fleet, ["approve", "x", "2", "--deny"]);
      expect(other.stderr).toContain("notify of x (key 2) was approved");
      expect(other.exitCode).toBe(1);
      // That is no word about what nobody has answered.
      expect(await command(fleet, ["approve", "x", "3", "--yes", "--json"])).toMatchObject({
        exitCode: state === "ended" ? 1 : 2,
        stderr: expect.not.stringContaining("was first"),
      });
      expect(fleet.woken).toEqual([]);
    },
  );

  it("has nothing to answer where nothing is asked, or all has ended", async () => {
    const idle = fakeFleet([{ run: { runId: "x", state: "running" } }]);
    expect(await command(idle, ["approve", "x", "--yes"])).toMatchObject({
      exitCode: 2,
      stderr: "nestbox: The run x asks nothing now.\n",
    });
    const over = fakeFleet([{ run: { runId: "x", state: "ended", ok: true } }]);
    expect(await command(over, ["approve", "x", "--yes"])).toMatchObject({ exitCode: 1 });
  });
});

/** Time passes between a question and its answer. */
function slow(fleet: ReturnType<typeof fakeFleet>, ms: () => number = () => 1_000): void {
  const { world } = fleet;
  let passed = 0;
  fleet.onPause = () => (passed += ms());
  Object.assign(world, { now: () => NOW + passed });
}
