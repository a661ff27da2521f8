/**
 * `nestbox mcp`: one tool host with a policy in front, served until the client goes (stdio) or the command is
 * interrupted (HTTP). Nobody can be asked, so an ask is a deny.
 */
import type { ToolHost } from "@nestbox/calls";
import { createScriptStore, createScriptTool } from "@nestbox/codemode";
import { createRunner, createTempFiles } from "@nestbox/codemode/node";
import { type McpListener, serveMcpHttp, serveMcpStdio } from "@nestbox/mcp/node";

import { dryRunLines } from "../compose/dry-run.ts";
import { type HostChoice, openHost } from "../compose/open-host.ts";
import { codeOf } from "../doctor/finding.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Streams } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { UsageError } from "../usage-error.ts";
import { version } from "../version.ts";
import { messageOf } from "@nestbox/tool";

export interface McpOptions extends HostChoice {
  readonly http?: boolean;
  readonly hostname?: string;
  readonly port: number;
  readonly codemode: boolean;
}

/** Characters that scripts of a client may keep with `store`. */
const MAX_STORE_CHARS = 1_000_000;
/** Where the token of an HTTP server comes from: command lines can be read by every user of the machine. */
const TOKEN_VARIABLE = "NESTBOX_MCP_TOKEN";

export async function mcp(given: McpOptions, streams: Streams, signal: AbortSignal): Promise<number> {
  // Nobody can be asked: no approver.
  await using opened = await openHost(given, { streams, signal });
  const { host, options, warn: say } = opened;
  const runner = createRunner(options.node === undefined ? {} : { nodePath: options.node });
  try {
    if (options.codemode) {
      const tool = createScriptTool(runner, {
        listed: host.callable(),
        files: createTempFiles(),
        limits: {
          ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
          ...(options.memoryMb === undefined ? {} : { memoryMb: options.memoryMb }),
        },
        // Clients of an HTTP server do not share what they keep.
        ...(options.http === true ? {} : { store: createScriptStore(MAX_STORE_CHARS) }),
      });
      if (host.registered().some(({ name }) => name === tool.name))
        throw new UsageError(
          `--tools: a tool is named ${tool.name} already; leave Nestbox's own out with --no-codemode.`,
        );
      host.register(tool, { source: { kind: "builtin" } });
    }
    await (options.http === true
      ? serveHttp(host, options, say, signal)
      : serveStdio(host, streams, say, signal));
  } finally {
    await runner.close();
    if (opened.dryRun !== undefined) {
      const colors = colorsFor(streams.stderr, process.env);
      for (const line of dryRunLines(opened.dryRun.wouldDeny(), colors))
        say(`would have been denied: ${line}`);
    }
  }
  return exitCodes.ok;
}

async function serveStdio(
  host: ToolHost,
  streams: Streams,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) streams.stdin.once(event, () => resolve());
    // A client that has gone leaves a pipe that nobody reads.
    streams.stdout.once("error", () => resolve());
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const listener = serveMcpStdio(host, {
    name: "nestbox",
    version,
    input: streams.stdin,
    output: streams.stdout,
    onError: (error) => say(error.message),
  });
  await gone;
  await listener.close();
}

async function serveHttp(
  host: ToolHost,
  options: McpOptions,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const token = process.env[TOKEN_VARIABLE];
  let listener: McpListener & { readonly url: string };
  try {
    listener = await serveMcpHttp(host, {
      name: "nestbox",
      version,
      port: options.port,
      ...(options.hostname === undefined ? {} : { hostname: options.hostname }),
      ...(token === undefined || token === "" ? {} : { token }),
      onError: (error) => say(error.message),
    });
  } catch (cause) {
    throw new UsageError(cannotServe(cause, options.port), { cause });
  }
  say(
    `serving ${host
      .declared()
      .map(({ name }) => name)
      .join(", ")} at ${listener.url}`,
  );
  if (!token) say(`every program of this machine can call them; set ${TOKEN_VARIABLE} to ask for a token`);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await listener.close();
}

function cannotServe(cause: unknown, port: number): string {
  const message = messageOf(cause);
  switch (codeOf(cause)) {
    case "EADDRINUSE":
      return `Port ${port} is in use by another program (to find it: lsof -i :${port}). Choose another one: --port 0 lets the system choose.`;
    case "EACCES":
      return `The system does not let you listen on port ${port}. Choose one above 1023: --port 0 lets the system choose.`;
    case "unsafe-binding":
    case "invalid-option":
      return `${message}: set the variable ${TOKEN_VARIABLE} to at least 16 characters.`;
    default:
      return `Nothing can be served: ${message}`;
  }
}
