import { openBlobFolder } from "@nestbox/restate/node";
import { blobFolder, code, ingressUrl } from "./given.ts";

const blobs = openBlobFolder(blobFolder);
// README
import { cancelDurable } from "@nestbox/codemode/durable";
import { openRestate } from "@nestbox/restate";

const runs = openRestate({ ingressUrl, blobs });
await runs.submit("release-42", { code, deadlineMs: 7 * 86_400_000 }); // once, however often it is sent

// Days later, in whatever process: the decision is kept first and wakes second.
await runs.run("release-42").wake("1", { kind: "approved" });
const outcome = await runs.result("release-42");

await cancelDurable(runs.run("release-43"));
await runs.remove("release-42"); // its journal and its large values
// README

console.log(JSON.stringify(outcome.ok && outcome.value));
