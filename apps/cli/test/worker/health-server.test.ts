import { connect, type Socket } from "node:net";

import { afterEach, describe, expect, it } from "vitest";

import { readHealthAddress } from "../../src/worker/health-address.ts";
import { HEALTH_LIMITS, type HealthServer, serveHealth } from "../../src/worker/health-server.ts";

const servers: HealthServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(
  sources: { readonly problems?: readonly string[]; readonly metrics?: () => Promise<string> } = {},
  limits: Partial<typeof HEALTH_LIMITS> | { readonly [key in keyof typeof HEALTH_LIMITS]?: number } = {},
): Promise<HealthServer> {
  const server = await serveHealth(
    { host: "127.0.0.1", port: 0 },
    { problems: () => sources.problems ?? [], metrics: sources.metrics ?? (() => Promise.resolve("a 1\n")) },
    { ...HEALTH_LIMITS, ...limits },
  );
  servers.push(server);
  return server;
}

/** Sends bytes as they are and gives all that came back when the connection has ended. */
async function raw(
  server: HealthServer,
  bytes: string,
): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const answer = new Promise<string>((resolve) => {
    // A connection that is cut is an answer too.
    socket.on("error", () => undefined).on("close", () => resolve(text));
  });
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(bytes);
  return { socket, answer };
}

describe("the health server", () => {
  it("says that the worker lives, whether it is ready and why not, and its metrics", async () => {
    const well = await serve();
    const live = await fetch(`${well.url}/livez`);
    expect([live.status, await live.text()]).toEqual([200, "ok\n"]);
    const ready = await fetch(`${well.url}/readyz?verbose`);
    expect([ready.status, await ready.text()]).toEqual([200, "ready\n"]);
    const metrics = await fetch(`${well.url}/metrics`);
    expect([metrics.status, metrics.headers.get("content-type"), await metrics.text()]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8",
      "a 1\n",
    ]);
    const unwell = await serve({ problems: ["it is draining", "the engine does not answer"] });
    const not = await fetch(`${unwell.url}/readyz`);
    expect([not.status, await not.text()]).toEqual([
      503,
      "not ready: it is draining; the engine does not answer\n",
    ]);
    expect((await fetch(`${unwell.url}/livez`)).status).toBe(200);
  });

  it("answers HEAD without a body, and no other method and no other path", async () => {
    const server = await serve();
    const head = await fetch(`${server.url}/metrics`, { method: "HEAD" });
    expect([head.status, await head.text(), head.headers.get("content-length")]).toEqual([200, "", "4"]);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"]) {
      const response = await fetch(`${server.url}/readyz`, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    for (const path of ["/", "/metrics/", "/livez%00", "/../livez/..", "/__proto__"])
      expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  });

  it("reads no body, and closes the connection of whoever sends one", async () => {
    const server = await serve();
    const { answer } = await raw(
      server,
      "POST /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nonly the beginning",
    );
    expect(await answer).toMatch(/^HTTP\/1\.1 405 .*\r\n[^]*Connection: close\r\n/i);
  });

  it("cuts off a client that does not finish its request, and goes on answering others", async () => {
    const server = await serve({}, { requestMs: 2_000, answerMs: 30_000 });
    const slow = await Promise.all(
      Array.from({ length: 20 }, () => raw(server, "GET /livez HTTP/1.1\r\nX-Slow: ")),
    );
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    for (const { answer } of slow) expect(await answer).not.toContain(" 200 ");
  });

  it("cuts off a client that sends nothing, and one that trickles", async () => {
    const server = await serve({}, { requestMs: 300, answerMs: 10_000 });
    const silent = await raw(server, "");
    const { socket, answer } = await raw(server, "GET /livez HTTP/1.1\r\n");
    const trickle = setInterval(() => socket.write("X: y\r\n"), 50);
    expect(await answer).not.toContain(" 200 ");
    clearInterval(trickle);
    expect(await silent.answer).not.toContain(" 200 ");
  });

  it("gives a connection one answer, and no more time to whoever asks for many at once and reads slowly", async () => {
    let asked = 0;
    const large = "a 1\n".repeat(10_000_000);
    const metrics = () => Promise.resolve((asked++, large));
    const server = await serve({ metrics }, { requestMs: 30_000, answerMs: 1_000 });
    const socket = connect({ port: Number(new URL(server.url).port), host: "127.0.0.1" });
    let read = 0;
    const gone = new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
    socket.write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(500));
    // It takes a little again and again: what is written to it starts no clock anew.
    for (let turn = 0; turn < 30; turn++) {
      read += (socket.read(2_000) as Buffer | null)?.length ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // What was on its way comes still, and nothing after it.
    socket.on("data", (chunk: Buffer) => (read += chunk.length));
    await gone;
    expect([read < large.length, asked]).toEqual([true, 1]);
  }, 60_000);

  it("closes a connection with its answer", async () => {
    const server = await serve();
    const { answer } = await raw(server, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(await answer).toMatch(/\r\nConnection: close\r\n[^]*ok\n$/i);
  });

  it("gives the place of the oldest connection to one more than its limit, so that idle ones keep nobody out", async () => {
    const server = await serve({}, { maxConnections: 3, requestMs: 30_000, answerMs: 30_000 });
    const held = [await raw(server, "GET"), await raw(server, "GET"), await raw(server, "GET")];
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    expect(await held[0]?.answer).toBe("");
    for (let more = 0; more < 50; more++) held.push(await raw(server, "GET"));
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    const open = held.filter(({ socket }) => !socket.destroyed);
    await expect
      .poll(() => open.filter(({ socket }) => !socket.destroyed).length, { timeout: 20_000 })
      .toBe(2);
    for (const { socket } of held) socket.destroy();
  });

  it("refuses large headers", async () => {
    const server = await serve();
    const { answer } = await raw(server, `GET /livez HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(await answer).not.toContain(" 200 ");
  });

  it("tells nothing of what went wrong inside", async () => {
    const server = await serve({ metrics: () => Promise.reject(new Error("postgresql://user:secret@host")) });
    const response = await fetch(`${server.url}/metrics`);
    expect([response.status, await response.text()]).toEqual([500, "This could not be answered.\n"]);
  });

  it("says where nothing can listen, and why", async () => {
    const { port } = new URL((await serve()).url);
    const sources = { problems: () => [], metrics: () => Promise.resolve("") };
    await expect(serveHealth({ host: "127.0.0.1", port: Number(port) }, sources)).rejects.toMatchObject({
      code: "usage",
      message: `--health 127.0.0.1:${port}: nothing can listen there: another program listens there.`,
    });
  });

  it("is given as host:port, as [IPv6]:port, or as a port of this machine alone", () => {
    expect(readHealthAddress("0.0.0.0:9464")).toEqual({ host: "0.0.0.0", port: 9464 });
    expect(readHealthAddress("[::1]:0")).toEqual({ host: "::1", port: 0 });
    expect(readHealthAddress("9464")).toEqual({ host: "127.0.0.1", port: 9464 });
    for (const text of [
      "",
      ":1",
      "host",
      "host:",
      "host:65536",
      "host:1:2",
      "http://host:1",
      "a b:1",
      "host:-1",
    ])
      expect([text, readHealthAddress(text)]).toEqual([text, undefined]);
  });
});
