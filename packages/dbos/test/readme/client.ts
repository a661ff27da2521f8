import { code, databaseUrl } from "./given.ts";

// README
import { cancelDurable } from "@nestbox/codemode/durable";
import { openDbos } from "@nestbox/dbos/node";

const runs = await openDbos({ databaseUrl });
await runs.submit("release-42", { code, deadlineMs: 7 * 86_400_000 }); // once, however often it is sent

// Days later, in whatever process: the decision is kept, and the run is due with it.
await runs.run("release-42").wake("1", { kind: "approved" });
const outcome = await runs.result("release-42");

await cancelDurable(runs.run("release-43"));
await runs.remove("release-42"); // its journal, its large values and DBOS's records of it
// README

process.send?.(outcome.ok ? outcome.value : outcome.error);
await runs.close();
process.disconnect?.();
