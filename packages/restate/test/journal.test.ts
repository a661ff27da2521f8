import type { Step } from "@nestbox/codemode/durable";
import { describe, expect, test } from "vitest";
import type { BlobStore } from "../src/blobs.ts";
import { openRestate } from "../src/index.ts";
import { objectServer } from "./support/object-server.ts";

const FOREVER = new AbortController().signal;

function memoryBlobs(): BlobStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    put: async (runId, sha256, text) => void texts.set(`${runId}/${sha256}`, text),
    get: async (runId, sha256) => texts.get(`${runId}/${sha256}`),
    async remove(runId) {
      for (const key of texts.keys()) if (key.startsWith(`${runId}/`)) texts.delete(key);
    },
  };
}

function setUp(more: { readonly unavailableMs?: number; readonly maxSteps?: number } = {}) {
  const server = objectServer();
  const blobs = memoryBlobs();
  const open = () =>
    openRestate({ ingressUrl: "http://server/", blobs, fetch: server.fetch, pollMs: 10, ...more });
  return { server, blobs, open, run: (runId = "run") => open().run(runId) };
}

const once = (value: string) => () => Promise.resolve(value);

describe("messages", () => {
  test("a step that may be repeated is one message, one that may not is two, a known one none", async () => {
    const { server, run } = setUp();
    const journal = run();
    await journal.step("a", once("a"), { repeatable: true });
    await journal.step("b", once("b"));
    await journal.step("a", once("other"));
    expect(server.calls).toEqual(["claim", "write", "write", "write"]);
  });

  test("what a step began with stands there while it is under way, and when it was interrupted", async () => {
    const { server, run } = setUp();
    const begun = { call: { name: "deploy", hash: "h", args: "{}" }, from: 5 };
    const kept = () => server.state("run").get("s/0");
    const dying = run().step("1", () => new Promise(() => undefined), { begun });
    for (let waited = 0; kept() === undefined && waited < 200; waited++)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(kept()).toEqual({ key: "1", state: "begun", value: { json: JSON.stringify(begun) } });
    const elsewhere = run();
    expect(await elsewhere.step("1", once("no"), { begun })).toEqual({ kind: "interrupted" });
    expect(kept()).toEqual({ key: "1", state: "interrupted", value: { json: JSON.stringify(begun) } });
    // What says so for good is no value of it.
    expect(await run().step("1", once("no"))).toEqual({ kind: "interrupted" });
    void dying;
  });

  test("what is written at the same time goes together", async () => {
    const { server, run } = setUp();
    const journal = run();
    await journal.step("first", once("first"), { repeatable: true });
    const before = server.calls.length;
    const keys = Array.from({ length: 50 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => journal.step(key, once(key), { repeatable: true })));
    expect(server.calls.length - before).toBeLessThanOrEqual(3);
    const elsewhere = run();
    for (const key of keys)
      expect(await elsewhere.step(key, once("no"))).toMatchObject({ value: key, replayed: true });
  });

  test("a run of more steps than one answer holds is read page by page", async () => {
    const { server, run } = setUp();
    const journal = run();
    for (let n = 0; n < 450; n++) await journal.step(`k${n}`, () => Promise.resolve(n), { repeatable: true });
    const before = server.calls.length;
    const elsewhere = run();
    expect(await elsewhere.step("k449", once("no"))).toMatchObject({ value: 449, replayed: true });
    expect(server.calls.slice(before)).toEqual(["claim", "read", "read"]);
  });
});

describe("a server that is away", () => {
  test("is asked again, and what it has done unheard is not done twice", async () => {
    const { server, run } = setUp();
    const journal = run();
    server.fail("lost", "unheard", 503);
    await journal.step("a", once("a"));
    expect(await run().step("a", once("again"))).toMatchObject({ value: "a", replayed: true });
    server.fail("unheard");
    expect(await journal.wake("w", 1)).toEqual({ kind: "stored" });
    expect(await run().wake("w", 2)).toEqual({ kind: "already", value: 1 });
  });

  test("for too long is an error that names it; the same journal reads anew what was kept before it goes on", async () => {
    const { server, run } = setUp({ unavailableMs: 60 });
    const journal = run();
    await journal.step("a", once("a"));
    server.fail("unheard", ...Array.from({ length: 50 }, () => "lost" as const));
    await expect(journal.step("b", once("b"), { repeatable: true })).rejects.toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/http:\/\/server has not answered within 60 ms: /) as string,
    });
    let later: Step | undefined;
    while (later === undefined)
      later = await journal.step("b", once("other"), { repeatable: true }).catch(() => undefined);
    expect(later).toMatchObject({ value: "b", replayed: true });
  });

  test("a write that failed takes those that waited for it along, and nothing of them is taken for kept", async () => {
    const { server, run } = setUp();
    const journal = run();
    await journal.step("a", once("a"), { repeatable: true });
    const before = server.calls.length;
    server.fail(403);
    const steps = ["b", "c"].map((key) => journal.step(key, once(key), { repeatable: true }));
    for (const step of await Promise.allSettled(steps))
      expect(step).toMatchObject({ status: "rejected", reason: { code: "refused" } });
    expect(await journal.step("b", once("again"), { repeatable: true })).toMatchObject({
      value: "again",
      replayed: false,
    });
    expect(server.calls.slice(before)).toEqual(["claim", "write"]);
    expect(await run().step("b", once("no"))).toMatchObject({ value: "again", replayed: true });
  });

  test("a step that throws is forgotten alone: what was kept before it stays", async () => {
    const { run } = setUp();
    const journal = run();
    await journal.step("a", once("a"));
    await expect(journal.step("b", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await run().step("a", once("other"))).toMatchObject({ value: "a", replayed: true });
    expect(await run().step("b", once("b"))).toMatchObject({ value: "b", replayed: false });
  });

  test("a refusal is not tried again", async () => {
    const { server, run } = setUp();
    server.fail(403, 403);
    await expect(run().step("a", once("a"))).rejects.toMatchObject({ code: "refused" });
    await expect(run().step("a", once("a"))).rejects.toMatchObject({ code: "refused" });
    expect(await run().step("a", once("a"))).toMatchObject({ kind: "done" });
  });
});

describe("large values", () => {
  const large = "x".repeat(20_000);

  test("stand beside the journal, and the journal has their hash", async () => {
    const { server, blobs, run } = setUp();
    await run().step("a", once(large));
    expect([...blobs.texts.values()]).toEqual([JSON.stringify(large)]);
    expect(JSON.stringify([...server.state("run").values()])).not.toContain("xxx");
    expect(await run().step("a", once("no"))).toMatchObject({ value: large });
    expect(await run().wake("w", large)).toEqual({ kind: "stored" });
    expect(await run().wait("w", null, { signal: FOREVER })).toEqual({ kind: "woken", value: large });
  });

  test("tell how they begin only where a run ends: lists read it there", async () => {
    const { server, blobs, run } = setUp();
    const outcome = { ok: true, value: large };
    await run().step("1", once(large));
    await run().step("end", () => Promise.resolve(outcome));
    const kept = [...server.state("run").values()].map((entry) => (entry as { value?: object }).value);
    expect(kept.filter((value) => value !== undefined && "head" in value)).toEqual([
      expect.objectContaining({ head: JSON.stringify(outcome).slice(0, 4_096) }),
    ]);
    expect(blobs.texts.size).toBe(2);
    expect(await run().step("end", once("no"))).toMatchObject({ value: outcome, replayed: true });
  });

  test("that are gone or have been changed are an error and never another value", async () => {
    const { blobs, run } = setUp();
    await run().step("a", once(large));
    const [[key]] = [...blobs.texts] as [[string, string]];
    blobs.texts.set(key, JSON.stringify("y"));
    await expect(run().step("a", once("no"))).rejects.toMatchObject({ code: "blob" });
    blobs.texts.delete(key);
    await expect(run().step("a", once("no"))).rejects.toMatchObject({ code: "blob" });
  });

  test("a run that has ended is removed with them, one that has not is not", async () => {
    const { blobs, server, open } = setUp();
    const runs = open();
    await runs.run("gone").step("a", once(large));
    await runs.run("stays").step("a", once(large));
    expect(await runs.remove("gone")).toBe(false);
    await runs.run("gone").wake("end", true);
    expect(await runs.remove("gone")).toBe(true);
    expect([...blobs.texts.keys()].every((key) => key.startsWith("stays/"))).toBe(true);
    expect(server.state("gone").size).toBe(0);
  });
});

describe("limits", () => {
  test("more steps than allowed are an error", async () => {
    const { run } = setUp({ maxSteps: 2 });
    const journal = run();
    for (const key of ["a", "b"]) await journal.step(key, once(key));
    await expect(journal.step("c", once("c"))).rejects.toMatchObject({ code: "journal" });
    expect(await journal.step("a", once("no"))).toMatchObject({ replayed: true });
  });

  test.each(["", ".", "..", "a/b", "a b", "-a", "x".repeat(201), "a%2e"])("%j is no run's id", (runId) => {
    const { open } = setUp();
    expect(() => open().run(runId)).toThrow(expect.objectContaining({ code: "misuse" }) as Error);
  });

  test("a value in the journal is small", () => {
    const blobs = memoryBlobs();
    expect(() => openRestate({ ingressUrl: "http://server", blobs, inlineChars: 16_385 })).toThrow(
      expect.objectContaining({ code: "misuse" }) as Error,
    );
  });
});

describe("parking", () => {
  test("whoever parks after the wake is told at once, whoever parks before it is told by it, and once", async () => {
    const { server, run } = setUp();
    const park = async (awakeable: string, ...keys: string[]): Promise<unknown> => {
      const body = JSON.stringify({ awakeable, keys });
      const response = await server.fetch("http://server/nestbox-journal/run/park", { body });
      return await response.json();
    };
    expect(await park("one", "1", "cancel")).toBe(false);
    await run().wake("other", true);
    expect(server.resolved).toEqual([]);
    await run().wake("1", true);
    await run().wake("cancel", true);
    expect(server.resolved).toEqual(["one"]);
    expect(await park("two", "1", "cancel")).toBe(true);
    expect(await park("three", "2")).toBe(false);
    await run().wake("1", false);
    expect(server.resolved).toEqual(["one"]);
  });

  test.each([
    ["claim", {}],
    ["claim", { token: 1 }],
    ["write", { epoch: 1, entries: [[0, { key: "a", state: "kept" }]] }],
    ["write", { epoch: 1, entries: [[-1, { key: "a", state: "begun" }]] }],
    ["write", { epoch: 1, entries: [[0, { key: "a", state: "done", value: { sha256: "../x", chars: 1 } }]] }],
    ["wake", { key: "", value: { json: "1" }, token: "t" }],
    ["wait", { key: "a", question: "why", at: 1 }],
    ["park", { awakeable: "a", keys: "1" }],
    ["look", [1]],
  ])("%s refuses what is no such message: %j", async (handler, body) => {
    const { server } = setUp();
    const response = await server.fetch(`http://server/nestbox-journal/run/${handler}`, {
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(422);
    expect(server.state("run").size).toBe(0);
  });
});
