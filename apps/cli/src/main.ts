#!/usr/bin/env node
import { main } from "./program.ts";

const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));
process.once("SIGTERM", () => interrupted.abort(new Error("terminated")));

process.exitCode = await main(process.argv.slice(2), process, interrupted.signal);
