import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { openRestateAdmin } from "../src/index.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

/** A server that answers queries, in order, and keeps what it was asked. */
function setUp(answers: readonly Rows[], texts: Readonly<Record<string, string>> = {}) {
  const asked: string[] = [];
  const admin = openRestateAdmin({
    adminUrl: "http://server",
    fetch: async (_url, init) => {
      const { query } = JSON.parse(String(init?.body)) as { query: string };
      asked.push(query);
      return Promise.resolve(Response.json({ rows: answers[asked.length - 1] ?? [] }));
    },
    blobs: {
      put: () => Promise.resolve(),
      get: (_runId, sha256) => Promise.resolve(texts[sha256]),
      remove: () => Promise.resolve(),
    },
  });
  return { admin, asked };
}

const run = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: "inv_1",
  target_service_key: "run",
  status: "suspended",
  created_at: "2026-03-01T12:00:00.000Z",
  endpoint: "http://worker:9080/",
  pinned_deployment_id: "dp_1",
  ...more,
});
const kept = (key: string, value: unknown, runId = "run") => ({
  service_key: runId,
  key,
  value_utf8: JSON.stringify(value),
});
const json = (value: unknown) => ({ json: JSON.stringify(value) });
const large = (value: unknown) => {
  const text = JSON.stringify(value);
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { text, sha256, sealed: { sha256, chars: text.length } };
};

describe("the server's records", () => {
  test("tell where a run is, what it waits for and when it goes on", async () => {
    const { admin } = setUp([
      [run()],
      [{ run: "run", open: 2 }],
      [{ sleep_wakeup_at: "2026-03-02T12:00:00.000Z" }],
    ]);
    expect(await admin.status("run")).toEqual({
      runId: "run",
      invocationId: "inv_1",
      status: "suspended",
      deploymentId: "dp_1",
      endpoint: "http://worker:9080/",
      createdAt: Date.parse("2026-03-01T12:00:00Z"),
      waitingFor: 2,
      wakeAt: Date.parse("2026-03-02T12:00:00Z"),
    });
  });

  test("tell which run was sent away for want of room, and asks of those alone that may be it", async () => {
    const parked = { awakeable: "a", keys: ["cancel"], room: true };
    const { admin, asked } = setUp([
      [
        run({ target_service_key: "full" }),
        run({ target_service_key: "parked" }),
        run({ target_service_key: "asks" }),
        run({ target_service_key: "busy", status: "running" }),
      ],
      [{ run: "asks", open: 1 }],
      [kept("parked", parked, "full")],
    ]);
    const list = await admin.list();
    expect(list.map(({ runId, waitsForRoom }) => [runId, waitsForRoom])).toEqual([
      ["full", true],
      ["parked", undefined],
      ["asks", undefined],
      ["busy", undefined],
    ]);
    expect(asked[2]).toContain("IN ('full', 'parked')");
    // As the journal's object has written it.
    const [, pattern = ""] = /LIKE '%([^']+)'/.exec(asked[2] ?? "") ?? [];
    expect(JSON.stringify(parked).endsWith(pattern)).toBe(true);
  });

  test("tell how runs ended, also of a large outcome whose beginning is there", async () => {
    const end = (value: unknown) => ({ key: "end", state: "done", value });
    const done = { status: "completed", completion_result: "success", completed_at: "2026-03-01T12:00:01Z" };
    const aborted = { kind: "aborted", name: "AbortError", message: "Cancelled by ada" };
    const { admin, asked } = setUp([
      [
        run({ ...done, target_service_key: "good" }),
        run({ ...done, target_service_key: "bad" }),
        run({ ...done, target_service_key: "gone" }),
        run({ ...done, target_service_key: "big" }),
        run({ ...done, target_service_key: "older" }),
        run({
          status: "completed",
          target_service_key: "killed",
          completion_result: "failure",
          completion_failure: "[409] killed",
        }),
      ],
      [],
      [
        kept("s/3", end(json({ ok: true })), "good"),
        kept("s/3", end(json({ ok: false })), "bad"),
        kept("s/3", end(json({ ok: false, error: { ...aborted, stack: "" }, output: [] })), "gone"),
        kept(
          "s/3",
          end({
            ...large({}).sealed,
            head: `${JSON.stringify({ ok: false, error: aborted }).slice(0, -1)},`,
          }),
          "big",
        ),
        kept("s/3", end(large({ ok: true }).sealed), "older"),
      ],
    ]);
    const list = await admin.list();
    expect(list.map(({ runId, ok, failure }) => [runId, ok, failure])).toEqual([
      ["good", true, undefined],
      ["bad", false, undefined],
      ["gone", false, undefined],
      ["big", false, undefined],
      ["older", undefined, undefined],
      ["killed", false, "[409] killed"],
    ]);
    // One that was cancelled is told from one that failed.
    expect(list.map(({ error }) => error)).toEqual([
      undefined,
      undefined,
      aborted,
      aborted,
      undefined,
      undefined,
    ]);
    // Of the one that was killed nobody need ask.
    expect(asked[2]).toContain("('good', 'bad', 'gone', 'big', 'older')");
  });

  test("are asked about nothing that could end a string", async () => {
    const { admin, asked } = setUp([]);
    for (const id of ["", "'", "a'--", "a\\", "a b", "..", "-a", "a\u0000", "a".repeat(201)]) {
      await expect(admin.status(id)).rejects.toMatchObject({ code: "misuse" });
      await expect(admin.entries(id)).rejects.toMatchObject({ code: "misuse" });
      await expect(admin.questions({ runId: id })).rejects.toMatchObject({ code: "misuse" });
      await expect(admin.submitted(id)).rejects.toMatchObject({ code: "misuse" });
    }
    expect(asked).toEqual([]);
    // Nor does an id that the server tells.
    const hostile = setUp([[run({ status: "completed", target_service_key: "x') OR ('1'='1" })], []]);
    await expect(hostile.admin.list()).rejects.toMatchObject({ code: "misuse" });
    const paused = setUp([[run({ status: "paused", id: "inv' OR '1'='1" })], []]);
    await paused.admin.status("run");
    expect(paused.asked.length).toBe(2);
  });

  test("give the questions that are open, the oldest first", async () => {
    const stored = large({ call: "large" });
    const { admin } = setUp(
      [
        [
          kept("q/2", { question: json({ call: 2 }), at: 20 }),
          kept("q/1", { question: stored.sealed, at: 10 }),
          kept("q/3", { question: json({ call: 3 }), at: 30 }),
        ],
      ],
      { [stored.sha256]: stored.text },
    );
    expect(await admin.questions({ limit: 2 })).toEqual([
      { runId: "run", key: "1", question: { call: "large" }, askedAt: 10 },
      { runId: "run", key: "2", question: { call: 2 }, askedAt: 20 },
    ]);
  });

  test("give a journal, without what is too large for the reader", async () => {
    const stored = large({ text: "x".repeat(10_000) });
    const { admin } = setUp(
      [
        [
          kept("meta", { format: 1, epoch: 3, token: "t" }),
          kept("parked", { awakeable: "a", keys: [] }),
          kept("s/0", { key: "start", state: "done", value: json({ format: 1 }) }),
          kept("s/1", { key: "1", state: "done", value: stored.sealed }),
          kept("s/2", { key: "2", state: "begun" }),
          kept("s/3", { key: "3", state: "dropped" }),
          kept("q/1", { question: json({ call: 1 }), at: 10 }),
          kept("w/1", { value: json({ kind: "approved" }), token: "t" }),
          kept("w/cancel", { value: json(null), token: "t" }),
        ],
      ],
      { [stored.sha256]: stored.text },
    );
    const { steps, waits, complete } = await admin.entries("run", { maxValueBytes: 1_000 });
    expect(complete).toBe(true);
    expect(steps).toEqual([
      { key: "start", state: "done", value: { format: 1 } },
      { key: "1", state: "done", large: { bytes: stored.text.length, head: stored.text.slice(0, 4_096) } },
      { key: "2", state: "begun" },
    ]);
    expect(waits).toEqual([
      { key: "1", askedAt: 10, question: { call: 1 }, value: { kind: "approved" } },
      { key: "cancel", value: null },
    ]);
  });

  test("give the script of a submission, for as long as the server has it", async () => {
    const input = JSON.stringify({ script: json({ code: "return 'ä'" }) });
    const entry = { Command: { Input: { headers: [], payload: [...new TextEncoder().encode(input)] } } };
    const { admin } = setUp([[run()], [{ entry_json: JSON.stringify(entry) }]]);
    expect(await admin.submitted("run")).toEqual({ code: "return 'ä'" });
    expect(await setUp([[run()], []]).admin.submitted("run")).toBeUndefined();
    expect(await setUp([[]]).admin.submitted("run")).toBeUndefined();
  });

  test.each([
    ["no list", ["none" as unknown as Rows]],
    ["a row that is none", [[{ service_key: "run" }]]],
    ["a value that is no JSON", [[{ service_key: "run", key: "s/0", value_utf8: "{" }]]],
    ["a step that is none", [[kept("s/0", { key: "" })]]],
    ["a question that is none", [[kept("q/1", { at: "soon" })]]],
    ["an answer that is none", [[kept("w/1", {})]]],
  ])("that cannot be read are a failure of the journal: %s", async (_title, answers) => {
    await expect(setUp(answers).admin.entries("run")).rejects.toMatchObject({ code: "journal" });
  });

  test("whose large value was changed are refused", async () => {
    const stored = large({ text: "true" });
    const rows = [kept("s/0", { key: "1", state: "done", value: stored.sealed })];
    const damaged = setUp([rows], { [stored.sha256]: '{"text":"false"}' });
    await expect(damaged.admin.entries("run")).rejects.toMatchObject({ code: "blob" });
    await expect(setUp([rows]).admin.entries("run")).rejects.toMatchObject({ code: "blob" });
  });
});
