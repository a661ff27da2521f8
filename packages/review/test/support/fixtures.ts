import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A report as its runner wrote it; only the paths of the machine were shortened. */
export function recorded(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/reports/${name}`, import.meta.url)), "utf8");
}
