import { connect } from "node:http2";
import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openBlobFolder, startWorker } from "../src/node/index.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-worker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options = {
  ingressUrl: "http://127.0.0.1:9",
  blobs: openBlobFolder(folder),
  carrierFor: () => Promise.reject(new Error("No run comes here")),
};

async function ask(url: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const session = connect(url);
  try {
    await once(session, "connect");
    const request = session.request({
      ":path": path,
      accept:
        "application/vnd.restate.endpointmanifest.v4+json, application/vnd.restate.endpointmanifest.v3+json",
    });
    const [headers] = (await once(request, "response")) as [{ readonly ":status": number }];
    let text = "";
    for await (const chunk of request) text += String(chunk);
    return { status: headers[":status"], text };
  } finally {
    session.destroy();
  }
}

test("a worker tells a server what it serves, listens on loopback alone, and closes", async () => {
  const worker = await startWorker(options);
  expect(worker.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const { status, text } = await ask(worker.url, "/discover");
  const manifest = JSON.parse(text) as { services: { name: string; ty: string }[] };
  expect(status).toBe(200);
  expect(manifest.services.map(({ name, ty }) => [name, ty])).toEqual([
    ["nestbox-journal", "VIRTUAL_OBJECT"],
    ["nestbox-run", "WORKFLOW"],
  ]);
  await worker.close();
  await expect(ask(worker.url, "/discover")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("with the server's keys, a worker refuses what is not signed", async () => {
  const key = "publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9";
  const worker = await startWorker({ ...options, identityKeys: [key] });
  expect((await ask(worker.url, "/invoke/nestbox-run/run")).status).toBe(401);
  await worker.close();
  const wrong = startWorker({ ...options, identityKeys: ["publickeyv1_no"] });
  await expect(wrong).rejects.toMatchObject({ code: "misuse" });
});

test("that nobody's signature is asked for is said where others may reach the worker, and there alone", async () => {
  const said: string[] = [];
  const onLog = (level: string, message: string): void => void said.push(`${level}: ${message}`);
  for (const host of ["127.0.0.1", "::1"]) await (await startWorker({ ...options, host, onLog })).close();
  expect(said).toEqual([]);
  const open = await startWorker({ ...options, host: "0.0.0.0", onLog });
  expect(said).toEqual([
    expect.stringMatching(/^warn: It takes requests at http:\S+ that no server has signed/),
  ]);
  // What is wrong with a request is said everywhere.
  await ask(open.url.replace("0.0.0.0", "127.0.0.1"), "/nowhere/at/all");
  await open.close();
  said.length = 0;
  const identityKeys = ["publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9"];
  await (await startWorker({ ...options, host: "0.0.0.0", identityKeys, onLog })).close();
  expect(said.filter((line) => line.startsWith("warn"))).toEqual([]);
});

test("a port that is taken is told", async () => {
  const other = createServer();
  other.listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as { readonly port: number };
  await expect(startWorker({ ...options, port })).rejects.toMatchObject({ code: "misuse" });
  other.close();
});
