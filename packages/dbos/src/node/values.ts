/** Values as JSON in a column; a large one stands once a run in a table of its own, under its hash. */
import { createHash } from "node:crypto";
import type { JsonValue } from "@nestbox/tool";
import { DbosError } from "../errors.ts";
import type { Database } from "./database.ts";

/** One of the two is not null. */
export interface Stored {
  readonly value: string | null;
  readonly hash: string | null;
}

export interface Values {
  readonly text: (value: JsonValue) => string;
  readonly store: (runId: string, text: string) => Promise<Stored>;
  /** Rejects with `blob` when a large value is not there or has been changed. */
  readonly load: (runId: string, stored: Stored) => Promise<JsonValue>;
}

export interface ValueLimits {
  readonly inlineChars: number;
  readonly maxValueChars: number;
}

export function createValues(
  database: Pick<Database, "query">,
  { inlineChars, maxValueChars }: ValueLimits,
): Values {
  return {
    text(value) {
      const text = JSON.stringify(value);
      if (text.length <= maxValueChars) return text;
      const message = `A value of ${text.length} characters is more than the limit of ${maxValueChars}`;
      throw new DbosError("journal", message);
    },
    async store(runId, text) {
      if (text.length <= inlineChars) return { value: text, hash: null };
      const hash = sha256(text);
      await database.query(
        "INSERT INTO nestbox.large (run_id, hash, body) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        [runId, hash, text],
      );
      return { value: null, hash };
    },
    async load(runId, { value, hash }) {
      if (value !== null) return parse(value);
      const rows = await database.query("SELECT body FROM nestbox.large WHERE run_id = $1 AND hash = $2", [
        runId,
        hash,
      ]);
      const body = rows[0]?.["body"];
      if (typeof body !== "string")
        throw new DbosError("blob", `The large value ${String(hash)} is not there`);
      if (sha256(body) !== hash) throw new DbosError("blob", `The large value ${String(hash)} is damaged`);
      return parse(body);
    },
  };
}

export function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new DbosError("journal", "A value of the journal cannot be read", { cause });
  }
}

export const sha256 = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
