// README
import { readTraceFile, renderTracePage } from "@nestbox/inspector/node";

const html = await renderTracePage([readTraceFile("review.trace.json")]); // a second one: side by side
// README
export { html };
