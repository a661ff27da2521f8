import { fileURLToPath } from "node:url";
import { StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { serveMcpHttp } from "@nestbox/mcp/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { reviewOver, type SeenReview } from "../src/review-client.ts";
import { reviewHost } from "../src/review-host.ts";
import { changedCart, type ChangedCart } from "@nestbox/example-projects/changed-cart";

const token = "0123456789abcdef";
let cart: ChangedCart;

beforeEach(() => {
  cart = changedCart();
});

afterEach(() => cart[Symbol.dispose]());

async function overStdio(): Promise<SeenReview> {
  const server = fileURLToPath(new URL("../src/stdio-server.ts", import.meta.url));
  const transport: Transport = new StdioClientTransport({
    command: process.execPath,
    args: ["--conditions=@nestbox/source", server, cart.project],
    // The project's own commands are looked for there; nothing else of this environment is handed on.
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
  });
  return reviewOver(transport);
}

async function overHttp(): Promise<SeenReview> {
  await using host = reviewHost(cart.project);
  await using server = await serveMcpHttp(host, { name: "review", version: "1.0.0", port: 0, token });
  return await reviewOver(
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    }),
  );
}

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
] as const)("an MCP client over %s", (_name, connect) => {
  // contract A3, A8, A9, A21, C5
  it("lists the review tools, gets a review as data, and is told why a call is denied", async () => {
    const before = cart.status();
    const seen = await connect();
    expect(seen.instructions).toContain("Call review_diff before you report on a diff.");
    // A host serves what it would declare to a model; review_diff calls the other two by itself.
    expect(seen.tools).toEqual(["run_checks", "failing_tests", "review_diff"]);
    expect(seen.review).toMatchObject({
      verdict: "findings",
      missing: [],
      tests: { passed: 1, failed: 2 },
      checks: [{ id: "typecheck", ok: false }],
    });
    expect(seen.review.findings.map(({ file, line }) => `${file}:${line}`)).toEqual([
      "src/cart.ts:13",
      "test/cart.test.ts:14",
      "test/receipt.test.ts:7",
    ]);
    expect(seen.progress.join("\n")).toContain("failing_tests: running");
    expect(seen.denied).toContain("rule checks-alone");
    expect(seen.denied).toContain("Instead: call review_diff");
    expect(cart.status()).toBe(before);
  });
});

describe("the server", () => {
  it("does not know a client without the token", async () => {
    await using host = reviewHost(cart.project);
    await using server = await serveMcpHttp(host, { name: "review", version: "1.0.0", port: 0, token });
    await expect(reviewOver(new StreamableHTTPClientTransport(new URL(server.url)))).rejects.toThrow(
      /401|auth/i,
    );
  });
});
