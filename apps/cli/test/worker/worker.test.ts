import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { startWorker } from "./support/start-worker.ts";

const policyFile = (rules: readonly object[]): string => JSON.stringify({ version: 1, rules });

describe("nestbox worker", () => {
  it("says what it is, a line a fact, and of each run what became of it, and never an argument", async () => {
    await using worker = await startWorker();
    expect(worker.lines().map(({ event }) => event)).toEqual([
      "worker.engine",
      "worker.tools",
      "worker.policy",
      "worker.isolates",
      "worker.health",
      "worker.ready",
    ]);
    worker.fleet.submit("r1", {
      code: `const { n } = await tools.double({ n: 4711 }); await tools.deploy({ to: "pass" + "phrase" }); return n`,
    });
    await worker.fleet.reaches("r1", "parked");
    await worker.said("run.parked", "r1");
    await worker.fleet.approve("r1", "2");
    expect(await worker.fleet.reaches("r1", "ended")).toMatchObject({ ok: true });
    expect(await worker.said("run.ended", "r1")).toMatchObject({ outcome: "ok" });
    const told = worker.lines().filter(({ runId }) => runId === "r1");
    expect(told.map(({ event, resumed }) => [event, resumed])).toEqual([
      ["run.begun", false],
      ["run.parked", undefined],
      ["run.begun", true],
      ["run.ended", undefined],
    ]);
    expect(JSON.stringify(worker.lines())).not.toMatch(/4711|9422|passphrase/);
  });

  it("counts runs, calls, decisions and isolates", async () => {
    await using worker = await startWorker();
    worker.fleet.submit("r1", { code: "await tools.double({ n: 1 }); await tools.double({ n: 'no' })" });
    worker.fleet.submit("r2", { code: "await tools.deploy({})" });
    await worker.fleet.reaches("r1", "ended");
    await worker.said("run.parked", "r2");
    const { text } = await worker.ask("/metrics");
    for (const line of [
      'nestbox_run_begun_total{nestbox_run_resumed="false"} 2',
      'nestbox_run_let_go_total{nestbox_run_end="ended",nestbox_run_outcome="script"} 1',
      'nestbox_run_let_go_total{nestbox_run_end="parked"} 1',
      "nestbox_run_active 0",
      "nestbox_isolate_usage 0",
      "nestbox_isolate_limit 2",
      "nestbox_isolate_wait_duration_count 2",
      'nestbox_tool_calls_total{nestbox_tool_name="double",nestbox_call_outcome="ok"} 1',
      'nestbox_tool_calls_total{nestbox_tool_name="double",nestbox_call_outcome="invalid-arguments"} 1',
      'nestbox_tool_calls_total{nestbox_tool_name="deploy",nestbox_call_outcome="asked"} 1',
      'nestbox_tool_call_duration_count{nestbox_tool_name="double"} 1',
      'nestbox_policy_decisions_total{nestbox_decision_effect="allow"} 1',
      'nestbox_policy_decisions_total{nestbox_decision_effect="ask"} 1',
      "nestbox_engine_reachable 1",
      "nestbox_worker_ready 1",
    ])
      expect(text).toContain(`\n${line}\n`);
  });

  it("takes nothing of a submission but the script and lower limits", async () => {
    await using worker = await startWorker({ memoryMb: 64 });
    const stranger = {
      tools: ["/tmp/evil.mjs"],
      extension: ["/tmp/evil"],
      mcp: { mcpServers: { evil: { command: "evil" } } },
      policy: [{ version: 1, rules: [{ id: "all", effect: "allow", tool: "*" }] }],
      config: "/tmp/evil.jsonc",
      cwd: "/",
      node: "/tmp/evil-node",
      env: { NODE_OPTIONS: "--import=/tmp/evil.mjs" },
    };
    // 200 MB are more than this worker gives, whatever was asked for.
    worker.fleet.submit("greedy", {
      ...stranger,
      limits: { memoryMb: 4_096, cpuMs: 86_400_000 },
      code: "const all = []; for (let i = 0; i < 25; i++) all.push(new Array(1_000_000).fill(i)); return all.length",
    });
    worker.fleet.submit("reaching", {
      ...stranger,
      code: "await tools.deploy({}); return ALL_TOOLS.map(({ name }) => name).sort()",
    });
    await worker.fleet.reaches("greedy", "ended");
    expect(await worker.said("run.ended", "greedy")).toMatchObject({ outcome: "memory" });
    // Its policy says yes to everything; the worker's asks.
    await worker.fleet.reaches("reaching", "parked");
    await worker.fleet.approve("reaching", "1");
    await worker.fleet.reaches("reaching", "ended");
    expect(await worker.fleet.engine.result("reaching")).toMatchObject({
      value: ["await_file", "call_later", "deploy", "double", "stuck"],
    });
  });

  it("ends a run that takes longer than the worker lets runs take, whatever deadline it has asked for", async () => {
    await using worker = await startWorker({ deadlineMs: 1 });
    worker.fleet.submit("late", { code: "await tools.deploy({})", deadlineMs: 86_400_000 });
    await worker.fleet.reaches("late", "ended");
    expect(await worker.said("run.ended", "late")).toMatchObject({ outcome: "aborted" });
  });

  it("lets no budget of one run count in another, and none be passed by parking", async () => {
    await using files = await startWorker();
    const policy = join(files.folder, "policy.jsonc");
    writeFileSync(
      policy,
      policyFile([{ id: "budget", effect: "deny", tool: "double", limit: { calls: 2, per: "chain" } }]),
    );
    await using worker = await startWorker({ policy: [policy] });
    const twice = "await tools.double({ n: 1 }); await tools.double({ n: 2 }); return 'both'";
    for (const runId of ["a", "b", "c"]) worker.fleet.submit(runId, { code: twice });
    for (const runId of ["a", "b", "c"])
      expect(await worker.fleet.reaches(runId, "ended")).toMatchObject({ ok: true });
    // The gate of the second part has seen no call of the first.
    worker.fleet.submit("parking", {
      code: "await tools.double({ n: 1 }); await tools.deploy({}); await tools.double({ n: 2 }); await tools.double({ n: 3 })",
    });
    await worker.fleet.reaches("parking", "parked");
    await worker.fleet.approve("parking", "2");
    expect(await worker.fleet.reaches("parking", "ended")).toMatchObject({ ok: false });
    expect(await worker.said("run.ended", "parking")).toMatchObject({ outcome: "policy" });
  });

  it("keeps the gate of a call from a run that has the call's id as its own", async () => {
    await using worker = await startWorker();
    const path = join(worker.folder, "go");
    worker.fleet.submit("a", {
      code: `return (await ctx.executeTool("call_later", { path: ${JSON.stringify(path)} })).isError`,
    });
    await expect.poll(() => existsSync(`${path}.calls`), { timeout: 30_000 }).toBe(true);
    // While it is under way and once it has ended, the first call of `a` is that of `a`.
    worker.fleet.submit("a:1", { code: "await tools.deploy({})" });
    await worker.fleet.reaches("a:1", "parked");
    worker.fleet.submit("a:1:1", { code: "return 7" });
    await worker.fleet.reaches("a:1:1", "ended");
    writeFileSync(path, "");
    expect(await worker.fleet.reaches("a", "ended")).toMatchObject({ ok: true });
    expect(await worker.fleet.engine.result("a")).toMatchObject({ value: false });
  });

  it("makes no call while a policy file is broken, says so, and is not ready", async () => {
    await using files = await startWorker();
    const policy = join(files.folder, "policy.jsonc");
    writeFileSync(policy, policyFile([{ id: "yes", effect: "allow", tool: "deploy" }]));
    await using worker = await startWorker({ policy: [policy], lookMs: 20 });
    worker.fleet.submit("before", { code: "await tools.deploy({}); return 1" });
    expect(await worker.fleet.reaches("before", "ended")).toMatchObject({ ok: true });
    writeFileSync(policy, "{ this is no policy");
    worker.fleet.submit("broken", { code: "await tools.double({ n: 1 }); return 1" });
    expect(await worker.fleet.reaches("broken", "ended")).toMatchObject({ ok: false });
    expect(await worker.said("worker.policy-broken")).toMatchObject({ level: "error" });
    expect(await worker.ask("/readyz")).toMatchObject({
      status: 503,
      text: expect.stringContaining("a policy file is broken") as string,
    });
    writeFileSync(policy, policyFile([{ id: "yes", effect: "allow", tool: "deploy" }]));
    await worker.said("worker.policy-whole");
    expect(await worker.ask("/readyz")).toMatchObject({ status: 200 });
    worker.fleet.submit("after", { code: "await tools.deploy({}); return 1" });
    expect(await worker.fleet.reaches("after", "ended")).toMatchObject({ ok: true });
  });

  it("writes what was decided of every call, with its run, where --audit says", async () => {
    await using files = await startWorker();
    const audit = join(files.folder, "audit");
    {
      await using worker = await startWorker({ audit });
      worker.fleet.submit("r1", { code: "await tools.double({ n: 1 })" });
      worker.fleet.submit("r2", { code: "await tools.deploy({})" });
      await worker.fleet.reaches("r1", "ended");
      await worker.fleet.reaches("r2", "parked");
    }
    const text = readdirSync(audit)
      .map((name) => readFileSync(join(audit, name), "utf8"))
      .join("");
    const decided = text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { record: Record<string, unknown> }).record)
      .filter(({ type }) => type === "decision");
    const named = decided.map(({ tool, chain, answer }) => [
      tool,
      (chain as { callId: string }[]).map(({ callId }) => callId),
      answer,
    ]);
    expect(named).toContainEqual(["double", ["r1"], undefined]);
    expect(named).toContainEqual(["deploy", ["r2"], "unavailable"]);
  });
});

describe("a worker that is told to end", () => {
  it("waits for a call that ends, keeps it, and ends with exit code 0", async () => {
    await using worker = await startWorker();
    const path = join(worker.folder, "go");
    worker.fleet.submit("r1", {
      code: `await tools.await_file({ path: ${JSON.stringify(path)} }); return 1`,
    });
    await expect.poll(() => existsSync(`${path}.calls`), { timeout: 30_000 }).toBe(true);
    worker.end();
    await worker.said("worker.draining");
    expect(await worker.ask("/livez")).toMatchObject({ status: 200 });
    expect(await worker.ask("/readyz")).toMatchObject({ status: 503, text: "not ready: it is draining\n" });
    writeFileSync(path, "");
    expect(await worker.exitCode).toBe(0);
    expect((await worker.fleet.engine.status("r1"))?.state).toBe("queued");
    expect(await worker.said("run.released", "r1")).toMatchObject({ level: "info" });
  });

  it("gives up on a call that does not end, says so, and ends with exit code 4", async () => {
    await using worker = await startWorker({ drainMs: 50 });
    const path = join(worker.folder, "stuck");
    worker.fleet.submit("r1", { code: `await tools.stuck({ path: ${JSON.stringify(path)} })` });
    await expect.poll(() => existsSync(`${path}.calls`), { timeout: 30_000 }).toBe(true);
    expect((await worker.ask("/metrics")).text).toContain("\nnestbox_isolate_usage 1\n");
    worker.end();
    expect(await worker.exitCode).toBe(4);
    expect(await worker.said("worker.cut-off")).toMatchObject({ calls: 1, level: "warn" });
    // What was cut off has no outcome that a later worker would take for its end.
    expect((await worker.fleet.engine.status("r1"))?.state).toBe("running");
  });

  it("ends at once where all of its runs are parked", async () => {
    await using worker = await startWorker();
    worker.fleet.submit("r1", { code: "await tools.deploy({})" });
    await worker.fleet.reaches("r1", "parked");
    worker.end();
    expect(await worker.exitCode).toBe(0);
    expect((await worker.fleet.engine.status("r1"))?.state).toBe("parked");
  });

  it("ends although its engine is away, and says that it did not answer", async () => {
    await using worker = await startWorker({ drainMs: 20, goodbyeMs: 20 });
    worker.fleet.away = true;
    worker.end();
    expect(await worker.exitCode).toBe(0);
    expect(await worker.said("worker.no-goodbye")).toMatchObject({ level: "warn" });
  });
});

describe("a worker whose engine goes away", () => {
  it("is not ready either while the engine answers and keeps nothing, and says why", async () => {
    await using worker = await startWorker({ lookMs: 20 });
    worker.fleet.readOnly = true;
    expect(await worker.said("engine.away")).toMatchObject({
      message: expect.stringContaining("The database takes no writes") as string,
    });
    expect(await worker.ask("/readyz")).toMatchObject({ status: 503 });
    expect((await worker.ask("/metrics")).text).toContain("\nnestbox_engine_reachable 0\n");
    worker.fleet.readOnly = false;
    await worker.said("engine.back");
    expect(await worker.ask("/readyz")).toMatchObject({ status: 200 });
  });

  it("says so, is not ready, goes on when it is back, and tells it of itself again", async () => {
    await using worker = await startWorker({ lookMs: 20 });
    expect(await worker.ask("/readyz")).toMatchObject({ status: 200, text: "ready\n" });
    worker.fleet.away = true;
    await worker.said("engine.away");
    expect(await worker.ask("/readyz")).toMatchObject({
      status: 503,
      text: "not ready: the engine does not answer, or keeps nothing\n",
    });
    expect((await worker.ask("/metrics")).text).toContain("\nnestbox_engine_reachable 0\n");
    worker.fleet.away = false;
    await worker.said("engine.back");
    expect(worker.fleet.registered()).toBe(1);
    expect(await worker.ask("/readyz")).toMatchObject({ status: 200 });
  });
});
