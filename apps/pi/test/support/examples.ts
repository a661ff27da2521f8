import { fileURLToPath } from "node:url";

/** The folder of the examples, whose scripts and policies the tests run. */
export const examples = fileURLToPath(new URL("../../../../examples", import.meta.url));
