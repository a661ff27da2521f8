import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterEach, describe, expect, it } from "vitest";

import type { WorkerEvent } from "../../src/worker/events.ts";
import { createWorkerMetrics, type WorkerMetrics } from "../../src/worker/metrics.ts";

const open: WorkerMetrics[] = [];
afterEach(async () => {
  for (const metrics of open.splice(0)) await metrics.close();
});

async function textOf(
  events: readonly WorkerEvent[],
  tools: readonly string[] = ["double"],
): Promise<string> {
  const metrics = createWorkerMetrics({
    version: "1.2.3",
    engine: "dbos",
    isolates: 4,
    tools,
    engineAnswers: () => true,
    ready: () => false,
  });
  open.push(metrics);
  for (const event of events) metrics.onEvent(event);
  return await metrics.text();
}

const call = (toolName: string): WorkerEvent => ({
  type: "call.ended",
  toolName,
  outcome: "ok",
  durationMs: 20,
});
const seriesOf = (text: string, name: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith(`${name}{`));

// A sample of the text form: a name, labels whose values are quoted and escaped, and a number.
const SAMPLE = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\[\\n"])*",?)+\})? (-?\d[\d.e+-]*|\+Inf|NaN)$/;

describe("the metrics", () => {
  it("are lines that Prometheus reads, also where a tool's name is an attack", async () => {
    const hostile = [
      'x"} 1\nnestbox_worker_ready 1\n#',
      "back\\slash",
      "\u001B[2J\u202Eevil",
      "a".repeat(10_000),
      "__proto__",
      "",
    ];
    const text = await textOf(hostile.map(call), hostile);
    const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of samples) expect(line).toMatch(SAMPLE);
    expect(text).toContain("\nnestbox_worker_ready 0\n");
    expect(text).not.toMatch(/\u001B|\u202E/);
    expect(seriesOf(text, "nestbox_tool_calls_total")).toHaveLength(hostile.length);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(400);
  });

  it("count names that are no tool together, and those of the tools beyond the first hundred", async () => {
    const tools = Array.from({ length: 150 }, (_, index) => `tool_${index}`);
    const strangers = Array.from({ length: 5_000 }, (_, index) => `invented_${index}`);
    const text = await textOf([...tools, ...strangers].map(call), tools);
    const series = seriesOf(text, "nestbox_tool_calls_total");
    expect(series).toHaveLength(101);
    expect(series).toContain(
      'nestbox_tool_calls_total{nestbox_tool_name="_OTHER",nestbox_call_outcome="ok"} 5050',
    );
  });

  it("count seconds", async () => {
    const text = await textOf([
      call("double"),
      { type: "run.begun", runId: "a", resumed: true },
      { type: "isolate.taken", waitedMs: 1_500 },
      { type: "run.let-go", runId: "a", end: { kind: "halted", why: "changed" }, durationMs: 2_000 },
      { type: "run.let-go", runId: "b", end: { kind: "ended", outcome: "aborted" }, durationMs: undefined },
    ]);
    expect(text).toContain('nestbox_tool_call_duration_sum{nestbox_tool_name="double"} 0.02\n');
    expect(text).toContain("nestbox_isolate_wait_duration_sum 1.5\n");
    expect(text).toContain('nestbox_run_part_duration_sum{nestbox_run_end="halted"} 2\n');
    // One of which nothing was run here was never active.
    expect(text).toContain("\nnestbox_run_active 0\n");
    expect(text).toContain("\nnestbox_isolate_usage 1\n");
    expect(text).toContain(
      'nestbox_run_let_go_total{nestbox_run_end="halted",nestbox_run_outcome="changed"} 1',
    );
    expect(text).toContain('nestbox_worker_info{nestbox_version="1.2.3",nestbox_engine="dbos"} 1');
  });

  it("carry no id of a run", async () => {
    const text = await textOf([
      { type: "run.begun", runId: "secret-run", resumed: false },
      { type: "run.let-go", runId: "secret-run", end: { kind: "parked" }, durationMs: 1 },
    ]);
    expect(text).not.toContain("secret-run");
  });

  it("are in the how-to, each", async () => {
    const howTo = readFileSync(
      fileURLToPath(new URL("../../../../docs/how-to/fleet.md", import.meta.url)),
      "utf8",
    );
    const text = await textOf([
      call("double"),
      { type: "run.begun", runId: "a", resumed: true },
      { type: "isolate.taken", waitedMs: 1 },
      { type: "decision", effect: "allow" },
      { type: "run.let-go", runId: "a", end: { kind: "parked" }, durationMs: 1 },
    ]);
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    for (const name of names) expect(howTo).toContain(`\`${name}\``);
  });

  it("are loaded by a worker that is asked for them, and by nothing else", () => {
    const root = fileURLToPath(new URL("../../src", import.meta.url));
    const naming = globSync("**/*.ts", { cwd: root }).filter((file) =>
      /from "(@opentelemetry\/|\.[^"]*worker\/metrics\.ts")/.test(
        readFileSync(`${root}/${file}`, "utf8").replaceAll(/^import type .*$/gm, ""),
      ),
    );
    expect(naming).toEqual(["worker/metrics.ts"]);
  });
});
