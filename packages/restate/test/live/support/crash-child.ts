/** A process that carries a run on over the server. */
import { crashProcess } from "@nestbox/codemode/durable/conformance/node";
import { createRunner } from "@nestbox/codemode/node";
import { openRestate } from "../../../src/index.ts";
import { openBlobFolder } from "../../../src/node/index.ts";

await crashProcess({
  runner: createRunner({ maxProcesses: 1 }),
  open(runId, config) {
    const { ingressUrl, blobFolder } = config as { readonly ingressUrl: string; readonly blobFolder: string };
    return openRestate({ ingressUrl, blobs: openBlobFolder(blobFolder) }).run(runId);
  },
});
