import { describe, expect, test } from "vitest";
import { createCallRows, MAX_CALL_ROWS } from "../../src/pi/call-rows.ts";
import { createThrottle } from "../../src/pi/throttle.ts";

describe("rows of nested calls", () => {
  // D20
  test("a row begins running and ends once", () => {
    let changes = 0;
    const rows = createCallRows(() => changes++);
    const end = rows.start("c/?", "read", '{"path":"a"}');
    expect(rows.rows()).toEqual([{ id: "c/?", name: "read", args: '{"path":"a"}', status: "running" }]);
    end({ id: "c/1", status: "error", durationMs: 5, error: "gone" });
    end({ status: "ok", durationMs: 9 });
    expect(rows.rows()).toEqual([
      { id: "c/1", name: "read", args: '{"path":"a"}', status: "error", durationMs: 5, error: "gone" },
    ]);
    expect(changes).toBe(2);
  });

  test("they are bounded: ended ones go first, and what is gone is counted", () => {
    const rows = createCallRows(() => {});
    rows.start("open", "wait", "");
    for (let i = 0; i < 1000; i++) rows.start(`${i}`, "x", "")({ status: "ok", durationMs: 1 });
    expect(rows.rows()).toHaveLength(MAX_CALL_ROWS);
    expect(rows.rows()[0]).toMatchObject({ id: "open", status: "running" });
    expect(rows.rows().at(-1)).toMatchObject({ id: "999" });
    expect(rows.omitted()).toBe(1001 - MAX_CALL_ROWS);
  });

  test("so are rows that all still run", () => {
    const rows = createCallRows(() => {});
    const ends = Array.from({ length: 1000 }, (_, i) => rows.start(`${i}`, "x", ""));
    for (const end of ends) end({ status: "ok", durationMs: 1 });
    expect(rows.rows()).toHaveLength(MAX_CALL_ROWS);
  });

  test("long arguments and errors are cut, no character in half", () => {
    const rows = createCallRows(() => {});
    rows.start("a", "x", "🦊".repeat(500))({ status: "error", durationMs: 1, error: "e".repeat(900) });
    const [row] = rows.rows();
    expect(row?.args.length).toBeLessThanOrEqual(200);
    expect(row?.args.isWellFormed()).toBe(true);
    expect(row?.error).toHaveLength(500);
  });

  test("what the end of the script cut off is cancelled", () => {
    const rows = createCallRows(() => {});
    const end = rows.start("a", "x", "");
    rows.cancelRunning();
    end({ status: "ok", durationMs: 1 });
    expect(rows.rows()[0]?.status).toBe("cancelled");
  });
});

describe("progress", () => {
  // contract B4
  test("is told at once, then not more often than the interval, and the last state is told", async () => {
    let told = 0;
    const throttle = createThrottle(() => told++, 5);
    for (let i = 0; i < 1000; i++) throttle.request();
    expect(told).toBe(1);
    await expect.poll(() => told, { timeout: 30_000 }).toBe(2);
    throttle.stop();
    throttle.request();
    expect(told).toBe(2);
  });

  test("a listener that throws harms nobody", () => {
    const throttle = createThrottle(() => {
      throw new Error("listener");
    });
    expect(() => throttle.request()).not.toThrow();
    throttle.stop();
  });
});
