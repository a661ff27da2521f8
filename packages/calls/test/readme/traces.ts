import type { ToolHost } from "@nestbox/calls";

declare const host: ToolHost;

// README
import { createTrace } from "@nestbox/calls";
import { createCallSpans } from "@nestbox/calls/otel"; // needs @opentelemetry/api

const trace = createTrace();
const spans = createCallSpans();
host.subscribe(trace.onEvent); // in Pi: session.subscribe(trace.onEvent)
host.subscribe(spans.onEvent);
await host.call("review", {});
const file = JSON.stringify(trace.trace()); // `callTraceSchema` describes it, `readTrace` reads it back
// README

export { file };
