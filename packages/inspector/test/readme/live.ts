// README
import { serveInspector, watchTraceFiles } from "@nestbox/inspector/node";

const inspector = await serveInspector({ source: watchTraceFiles(["review.trace.json"]) });
console.log(inspector.url); // http://127.0.0.1:…/<token>/
await inspector.close();
// README
