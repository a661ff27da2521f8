import type { ToolCaller } from "@nestbox/tool";

declare const ctx: ToolCaller;
declare const files: readonly string[];

// README
import { all, cached, deadline, fallback, map, race, retry, settled } from "@nestbox/calls";

await all(ctx, [{ name: "a" }, { name: "b", args: { n: 1 } }]); // the first failure cancels the others
await settled(ctx, [{ name: "a" }, { name: "b" }]); // every outcome
await map(ctx, files, (path) => ({ name: "a", args: { path } }), { concurrency: 4 });
await race(ctx, [{ name: "a" }, { name: "b" }]); // the first success cancels the losers
await fallback(ctx, [{ name: "a" }, { name: "b" }]); // one after the other until one succeeds
await retry(ctx, { name: "b" }, { attempts: 3 }); // tools with idempotentHint: true only, and only if they ran
await deadline(ctx, { name: "a" }, { timeoutMs: 5_000 }); // stops while a person is asked
const reading = cached(ctx); // a readOnlyHint: true tool does not run twice while nothing can have changed
// README

export { reading };
