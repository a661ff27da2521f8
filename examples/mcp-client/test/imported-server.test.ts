import { fileURLToPath } from "node:url";
import { createToolHost } from "@nestbox/calls";
import { createRunner } from "@nestbox/codemode/node";
import { serveMcpHttp } from "@nestbox/mcp/node";
import { afterAll, describe, expect, it, vi } from "vitest";
import { importingHost } from "../src/importing-host.ts";
import { runScript } from "../src/run-script.ts";
import { changedCart } from "@nestbox/example-projects/changed-cart";

const token = "0123456789abcdef";
const runner = createRunner();
afterAll(() => runner.close());

describe("a script on the tools of an imported MCP server", () => {
  // contract A9, A19, A21, C3, C5
  it("finds them, gets a review through the policy of its own host, and is told who denied what", async () => {
    using cart = changedCart();
    const server = fileURLToPath(new URL("../src/stdio-server.ts", import.meta.url));
    await using importing = await importingHost("review", {
      kind: "stdio",
      command: process.execPath,
      args: ["--conditions=@nestbox/source", server, cart.project],
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
    });
    const { outcome, nestedCalls } = await runScript(
      { host: importing.host, runner },
      `const [found] = await searchTools("review diff");
       const { structuredContent } = await tools[found.name]({});
       const texts = [];
       for (const name of ["mcp__review__failing_tests", "mcp__review__run_checks"]) {
         const { isError, result } = await ctx.executeTool(name, {});
         texts.push([isError, result.content[0].text]);
       }
       const { instructions } = await describeNamespace("review");
       return { name: found.name, verdict: structuredContent.verdict, texts, instructions };`,
    );
    if (!outcome.ok) throw new Error(outcome.error.message);
    expect(outcome.value).toEqual({
      name: "mcp__review__review_diff",
      verdict: "findings",
      texts: [
        [true, expect.stringContaining("rule no-tests-elsewhere")],
        [true, expect.stringContaining("rule checks-alone")],
      ],
      instructions: expect.stringContaining("Call review_diff before you report on a diff."),
    });
    expect(nestedCalls?.calls.map(({ id, name, status }) => [id, name, status])).toEqual([
      ["script-1/1", "mcp__review__review_diff", "ok"],
      // Denied here: the server was not asked.
      ["script-1/2", "mcp__review__failing_tests", "error"],
      // Allowed here, and denied by the server's own policy.
      ["script-1/3", "mcp__review__run_checks", "error"],
    ]);
  });

  // contract A8, A16, B3
  it("is cancelled with it: the tool in the served host stops, and the call is on record as cancelled", async () => {
    const log: string[] = [];
    const stop = new AbortController();
    await using served = createToolHost({ cwd: process.cwd() });
    served.register({
      name: "wait",
      description: "Waits for ever.",
      parameters: { type: "object" },
      annotations: { readOnlyHint: true, openWorldHint: false },
      execute: (_id: string, _params: object, signal: AbortSignal | undefined) =>
        new Promise<never>((_resolve, reject) => {
          log.push("waiting");
          signal?.addEventListener("abort", () => {
            log.push("stopped");
            reject(new Error("stopped"));
          });
          stop.abort();
        }),
    });
    await using server = await serveMcpHttp(served, { name: "clock", version: "1.0.0", port: 0, token });
    await using importing = await importingHost("clock", {
      kind: "http",
      url: server.url,
      headers: { Authorization: `Bearer ${token}` },
    });
    const { outcome, nestedCalls } = await runScript(
      { host: importing.host, runner },
      `await tools.mcp__clock__wait({}); return "went on";`,
      stop.signal,
    );
    expect(outcome).toMatchObject({ ok: false, error: { kind: "aborted" } });
    await vi.waitFor(() => expect(log).toEqual(["waiting", "stopped"]), { timeout: 20_000 });
    expect(nestedCalls?.calls).toMatchObject([
      { id: "script-1/1", name: "mcp__clock__wait", status: "error", cancelled: true },
    ]);
    expect(importing.host.callable().map(({ name }) => name)).toEqual(["mcp__clock__wait"]);
  });
});
