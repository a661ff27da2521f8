import { readFileSync } from "node:fs";
import type { JsonObject } from "@nestbox/tool";

/** One call with its policy in words and the right decision. */
export interface PolicyCase {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly layout: string;
  readonly policy: string;
  readonly decision: "allow" | "ask" | "deny" | "not judged";
  readonly why: string;
}

/** All cases of the file, in its order. */
export function readCases(): readonly PolicyCase[] {
  const lines = readFileSync(new URL("policy.jsonl", import.meta.url), "utf8").split("\n");
  return lines
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PolicyCase)
    .filter((one) => typeof one.id === "string");
}
