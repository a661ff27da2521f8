import { withFileMutationQueue } from "@earendil-works/pi-coding-agent";
import type { FileMutationQueue } from "../mutation-queue.ts";

/** Pi's own queue, shared with its `edit` and `write` tools (contract A14). */
export const piMutationQueue: FileMutationQueue = (path, change) => withFileMutationQueue(path, change);
