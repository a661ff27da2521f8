import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { EngineFigures } from "../src/fleet/figures.ts";
import { growthOf } from "../src/scale/capacity.ts";
import { demandsOf } from "../src/scale/demands.ts";
import { validate } from "../src/scale/validate.ts";

describe.each(["dbos", "restate"] as const)("the figures of %s that are checked in", (engine) => {
  const file = fileURLToPath(new URL(`../src/scale/figures/${engine}.json`, import.meta.url));
  const figures = JSON.parse(readFileSync(file, "utf8")) as EngineFigures;

  it("hold all that the simulation and its page stand on, with as many measurements as they must", () => {
    expect(figures.engine).toBe(engine);
    expect(figures.kills?.nestbox.elsewhere.count).toBeGreaterThanOrEqual(10);
    expect(figures.kills?.floor.elsewhere.count).toBeGreaterThanOrEqual(10);
    expect(figures.parked?.runs).toBe(2_000);
    expect(figures.throughput?.length).toBe(8);
    expect(figures.idle?.map(({ workers }) => workers)).toEqual([0, 1, 2]);
    expect(Object.keys(figures.load)).toEqual(
      expect.arrayContaining(["idle", "latency", "one", "two", "kills", "parked"]),
    );
    const { run, call } = demandsOf(figures);
    for (const cost of [run.workerCpu, run.serverCpu, call.workerCpu, call.serverCpu])
      expect(cost).toBeGreaterThan(0);
    const rows = growthOf(figures, engine === "dbos" ? "rows nestbox.steps" : "rows of state");
    expect(rows.call).toBeGreaterThan(0);
  });

  it("are predicted by the model, as well as the page says", () => {
    const found = validate(figures);
    expect(found.length).toBe(6);
    for (const { measured, predicted } of found) {
      expect(predicted / measured).toBeGreaterThan(0.5);
      expect(predicted / measured).toBeLessThan(2);
    }
  });
});
