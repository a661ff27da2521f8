import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type FleetEntry, readRun } from "@nestbox/inspector";
import {
  type Inspector,
  type InspectorOptions,
  renderTracePage,
  serveInspector,
  watchTraceFiles,
} from "@nestbox/inspector/node";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { PageMessage } from "../../src/model/patch.ts";
import { entries, epoch, type FakeFleet, fakeFleet, parkedTrace } from "../support/fleet.ts";
import { exampleTrace, otherTrace } from "../support/traces.ts";
import { runOf } from "../support/read.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-inspector-"));
const file = join(folder, "a.trace.json");
const write = (trace: unknown): void => {
  writeFileSync(`${file}.part`, JSON.stringify(trace));
  renameSync(`${file}.part`, file);
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let open: Inspector[] = [];
const opened = (inspector: Inspector): void => void open.push(inspector);
async function serve(options: Pick<InspectorOptions, "port" | "token"> = {}): Promise<Inspector> {
  const inspector = await serveInspector({ source: watchTraceFiles([file], { pollMs: 20 }), ...options });
  open.push(inspector);
  return inspector;
}
beforeAll(() => write(exampleTrace()));
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A request as it stands, with a path that nothing has made tidy. */
function ask(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Answer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the server", () => {
  it("is bound to this machine, and gives the page to whoever has the whole address", async () => {
    const { url } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const answer = await ask(url, new URL(url).pathname);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    const policy = String(answer.headers["content-security-policy"]);
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; /,
    );
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    // The runs come over the event stream alone.
    expect(answer.text).not.toContain("run_checks");
  });

  it("shows nothing without the token, and looks nothing up by what is asked for", async () => {
    const { url } = await serve();
    const token = new URL(url).pathname.slice(1, -1);
    const paths = [
      "/",
      "/events",
      `/${token}`,
      `/${token}x/`,
      `/${token.slice(0, -1)}/`,
      `/${token.toUpperCase()}${token.toLowerCase()}/`,
      `/x/${token}/`,
      `/${token}//`,
      `/${token}/../${token}/`,
      `/${token}/../../etc/passwd`,
      `/${token}/%2e%2e/%2e%2e/etc/passwd`,
      `/${token}/events/`,
      `/${token}/page.json`,
      `//${token}/`,
      `/${"x".repeat(5_000)}/`,
      "*",
      `http://example.invalid/${token}/`,
    ];
    for (const path of paths) {
      const answer = await ask(url, path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.text).not.toMatch(/root:|run_checks|trace-data/);
    }
    // What a program adds to an address is no part of the place.
    expect((await ask(url, `/${token}/?from=mail`)).status).toBe(200);
  });

  it("answers for its own name alone", async () => {
    const { url } = await serve();
    const { pathname, port } = new URL(url);
    for (const host of [
      "example.invalid",
      `example.invalid:${port}`,
      "127.0.0.1",
      `127.0.0.1.example.invalid:${port}`,
      `[::1]:${port}`,
      "127.0.0.1:1",
    ])
      expect([host, (await ask(url, pathname, { Host: host })).status]).toEqual([host, 403]);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`])
      expect([host, (await ask(url, pathname, { Host: host })).status]).toEqual([host, 200]);
  });

  it("lets no other page ask", async () => {
    const { url } = await serve();
    const { pathname, origin } = new URL(url);
    for (const other of ["https://example.invalid", "null", "http://127.0.0.1", `${origin}.example.invalid`])
      expect([other, (await ask(url, `${pathname}events`, { Origin: other })).status]).toEqual([other, 403]);
    const cross = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors" };
    expect((await ask(url, pathname, cross)).status).toBe(403);
    expect((await ask(url, pathname, { Origin: origin })).status).toBe(200);
    // A link that was sent to somebody opens.
    expect((await ask(url, pathname, { ...cross, "Sec-Fetch-Mode": "navigate" })).status).toBe(200);
  });

  it("only shows: any method but GET and HEAD is refused", async () => {
    const { url } = await serve();
    const { pathname } = new URL(url);
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]) {
      const answer = await ask(url, pathname, {}, method);
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "GET, HEAD"]);
    }
    expect(await ask(url, pathname, {}, "HEAD")).toMatchObject({ status: 200, text: "" });
  });

  it("says when a port is taken, and takes a token of its owner's choice only if nobody guesses it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(serve({ port })).rejects.toMatchObject({ code: "port-in-use" });
    taken.close();
    await expect(serve({ token: "short" })).rejects.toMatchObject({ code: "misuse" });
    await expect(serve({ token: "0123456789abcdef/.." })).rejects.toMatchObject({ code: "misuse" });
    expect((await serve({ token: "0123456789abcdef" })).url).toMatch(/\/0123456789abcdef\/$/);
  });
});

/** Reads the event stream of a server, message by message. */
async function* messages(url: string, signal: AbortSignal, run?: string): AsyncGenerator<PageMessage> {
  const query = run === undefined ? "" : `?${new URLSearchParams({ run }).toString()}`;
  const response = await fetch(`${url}events${query}`, { signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6)) as PageMessage;
    }
  }
}

describe("the event stream", () => {
  it("tells the runs, then what changes in them as their files grow, and ends with the server", async () => {
    const whole = exampleTrace();
    write({ ...whole, script: { ...whole.script, state: "running" }, calls: whole.calls.slice(0, 2) });
    const inspector = await serve();
    const stream = messages(inspector.url, new AbortController().signal);
    const first = (await stream.next()).value as PageMessage;
    expect(first).toMatchObject({ kind: "runs", runs: [{ live: true, calls: { length: 2 } }] });
    write(whole);
    const second = (await stream.next()).value as PageMessage;
    expect(second).toMatchObject({ kind: "patch", patch: { run: 0, head: { live: false } } });
    // Another run in the same file: all is told anew. One that cannot be read meanwhile changes nothing.
    writeFileSync(file, "{ half of a f");
    write({ ...otherTrace(), calls: otherTrace().calls.slice(2) });
    expect((await stream.next()).value).toMatchObject({ kind: "runs", runs: [{ calls: { length: 9 } }] });
    await inspector.close();
    expect(await stream.next()).toMatchObject({ done: true });
    write(whole);
  });

  it("is for so many pages and no more", async () => {
    const { url } = await serve();
    const stop = new AbortController();
    const streams = Array.from({ length: 16 }, () => messages(url, stop.signal));
    await Promise.all(streams.map((stream) => stream.next()));
    const { pathname } = new URL(url);
    expect((await ask(url, `${pathname}events`)).status).toBe(503);
    stop.abort();
    await expect
      .poll(async () => {
        const again = new AbortController();
        const response = await fetch(`${url}events`, { signal: again.signal });
        again.abort();
        return response.status;
      })
      .toBe(200);
  });
});

describe("the event stream of a fleet", () => {
  const fleetOf = (count: number): FakeFleet => fakeFleet(entries(count, epoch));
  async function openFleet(fleet: FakeFleet): Promise<Inspector> {
    const inspector = await serveInspector({ fleet });
    opened(inspector);
    return inspector;
  }

  it("tells the list, and then what changes in it", async () => {
    const fleet = fleetOf(2_000);
    const { url } = await openFleet(fleet);
    const stream = messages(url, new AbortController().signal);
    expect((await stream.next()).value).toMatchObject({ kind: "fleet", list: { runs: { length: 2_000 } } });
    const [first, ...rest] = fleet.list().runs;
    fleet.set({ runs: [{ ...first, state: "failed" } as FleetEntry, ...rest.slice(1)] });
    expect((await stream.next()).value).toMatchObject({
      kind: "fleet-patch",
      patch: { runs: [{ id: first?.id, state: "failed" }], gone: [rest[0]?.id] },
    });
    fleet.set({ trouble: "The server is away." });
    fleet.set({ trouble: "The server is away." });
    fleet.set({ runs: [] });
    expect((await stream.next()).value).toMatchObject({
      patch: { head: { trouble: "The server is away." } },
    });
    expect((await stream.next()).value).toMatchObject({ patch: { gone: { length: 1_999 } } });
  });

  it("tells one run to those who opened it, follows it as long as they look, and says when it is told in vain", async () => {
    const fleet = fleetOf(20);
    const { url } = await openFleet(fleet);
    const stop = new AbortController();
    const stream = messages(url, stop.signal, "release-42");
    const other = messages(url, stop.signal, "release-42");
    for (const one of [stream, other])
      expect((await one.next()).value).toMatchObject({
        kind: "runs",
        runs: [{ standing: { state: "parked" } }],
      });
    expect([...fleet.followed]).toEqual(["release-42"]);
    fleet.setTrouble("release-42", "away");
    expect((await stream.next()).value).toEqual({ kind: "trouble", message: "away" });
    fleet.setTrouble("release-42", "");
    expect((await stream.next()).value).toEqual({ kind: "trouble", message: "" });
    fleet.setRun(
      "release-42",
      runOf(parkedTrace({ durationMs: 5, run: { id: "release-42", state: "running" } })),
    );
    expect((await stream.next()).value).toMatchObject({
      kind: "patch",
      patch: { head: { standing: { state: "running" } }, calls: [] },
    });
    stop.abort();
    await expect.poll(() => fleet.followed.size, { timeout: 30_000 }).toBe(0);
  });

  it("has nothing of a run that is not there, whatever it is called, and no list without a fleet", async () => {
    const { url } = await openFleet(fleetOf(5));
    const { pathname } = new URL(url);
    for (const id of ["", "none", "__proto__", "constructor", "../../etc/passwd", "%00", "release-42%00"])
      expect([id, (await ask(url, `${pathname}events?run=${id}`)).status]).toEqual([id, 404]);
    const traces = await serve();
    const { pathname: other } = new URL(traces.url);
    expect((await ask(traces.url, `${other}events?run=a.trace.json`)).status).toBe(404);
  });

  it("is for so many pages together, whatever they show", async () => {
    const fleet = fleetOf(40);
    const { url } = await openFleet(fleet);
    const stop = new AbortController();
    const ids = fleet.list().runs.map(({ id }) => id);
    const streams = Array.from({ length: 16 }, (_, n) =>
      messages(url, stop.signal, n === 0 ? undefined : ids[n]),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    const { pathname } = new URL(url);
    expect((await ask(url, `${pathname}events?run=${ids[20] ?? ""}`)).status).toBe(503);
    expect((await ask(url, `${pathname}events`)).status).toBe(503);
    stop.abort();
    await expect.poll(() => fleet.followed.size, { timeout: 30_000 }).toBe(0);
  });
});

describe("trace files", () => {
  it("that cannot be read are named, with why", () => {
    const say = (name: string): string => {
      try {
        watchTraceFiles([join(folder, name)]);
      } catch (error) {
        return (error as Error).message.slice(folder.length + 1);
      }
      return "read";
    };
    writeFileSync(join(folder, "text.json"), "no json");
    writeFileSync(join(folder, "other.json"), "{}");
    expect(say("none.json")).toBe("none.json: there is no such file.");
    expect(say("text.json")).toBe("text.json: it is no JSON.");
    expect(say("other.json")).toBe("other.json: it is no trace: `nestbox run --trace` writes one.");
    expect(() => watchTraceFiles([])).toThrow(expect.objectContaining({ code: "misuse" }));
  });

  it("become one document that needs nothing else", async () => {
    const page = await renderTracePage([runOf(exampleTrace(), "a.json"), runOf(otherTrace(), "b.json")]);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).toContain("<title>Trace: a.json, b.json</title>");
    expect(page).not.toMatch(/(?:src|href)="(?!data:,")/);
    expect(page).not.toContain("connect-src");
    // What is in it of other people's goes with their licences.
    expect(page).toContain("Copyright (c) 2015-present Jason Miller");
    expect(page).toContain("Copyright (c) 2022-present Preact Team");
    expect(readRun("a", exampleTrace())).toMatchObject({ ok: true });
  });
});
