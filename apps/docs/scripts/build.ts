/** Builds the site into `dist`, and fails when a link in it is dead or a page takes something from elsewhere. */
import { fileURLToPath } from "node:url";

import { build } from "astro";

import { assemble } from "../src/site/assemble.ts";
import { checkSite } from "../src/site/check-site.ts";
import { mendSite } from "../src/site/mend-site.ts";

const here = fileURLToPath(new URL("..", import.meta.url));
const base = `/${process.env["DOCS_BASE"] ?? "/"}/`.replaceAll(/\/+/g, "/");
process.env["ASTRO_TELEMETRY_DISABLED"] = "1";

await assemble(`${here}src/content/docs`, base);
await build({ root: here, logLevel: "warn" });
mendSite(`${here}dist`);
const faults = checkSite(`${here}dist`, base);
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? "The site is in apps/docs/dist." : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
