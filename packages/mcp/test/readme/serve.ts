import type { Readable, Writable } from "node:stream";
import type { ServedHost } from "@nestbox/mcp";

declare const host: ServedHost;
declare const token: string;
declare const input: Readable;
declare const output: Writable;

// README
import { serveMcpHttp, serveMcpStdio } from "@nestbox/mcp/node";

// `host` is a ToolHost of @nestbox/calls, or anything with `declared()` and `call()`.
const listener = await serveMcpHttp(host, { name: "review", version: "1.0.0", port: 0, token });
console.error(listener.url); // http://127.0.0.1:…/mcp
await listener.close(); // aborts what runs

serveMcpStdio(host, { name: "review", version: "1.0.0", input, output }); // default: the process's own
// README
