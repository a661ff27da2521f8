export { createCallSpans, type CallSpans, type SpanOptions } from "./spans.ts";
