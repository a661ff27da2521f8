import type { JsonValue } from "@nestbox/tool";
import type { BlobStore } from "./blobs.ts";
import { RestateError } from "./errors.ts";
import { isIndex, isRecord } from "./guards.ts";

/** A value as the journal has it: its JSON, or the hash of that; `head` is how that JSON begins, where somebody asks. */
export type Sealed =
  | { readonly json: string }
  | { readonly sha256: string; readonly chars: number; readonly head?: string };

export interface Sealer {
  /** `headChars`: of a large value, so many characters of its JSON stand in the journal as well. Default 0. */
  readonly seal: (
    runId: string,
    value: JsonValue,
    options?: { readonly headChars?: number },
  ) => Promise<Sealed>;
  /** Rejects with `blob` when it is not there or has been changed. */
  readonly open: (runId: string, sealed: Sealed) => Promise<JsonValue>;
}

export interface SealerLimits {
  readonly inlineChars: number;
  readonly maxValueChars: number;
}

export function createSealer(blobs: BlobStore, { inlineChars, maxValueChars }: SealerLimits): Sealer {
  return {
    async seal(runId, value, { headChars = 0 } = {}) {
      const json = JSON.stringify(value);
      if (json.length <= inlineChars) return { json };
      if (json.length > maxValueChars) {
        const message = `A value of ${json.length} characters is more than the limit of ${maxValueChars}`;
        throw new RestateError("journal", message);
      }
      const hash = await sha256(json);
      await blobs.put(runId, hash, json);
      const head = headChars === 0 ? {} : { head: json.slice(0, headChars) };
      return { sha256: hash, chars: json.length, ...head };
    },
    async open(runId, sealed) {
      if ("json" in sealed) return JSON.parse(sealed.json) as JsonValue;
      const text = await blobs.get(runId, sealed.sha256);
      if (text === undefined) throw new RestateError("blob", `The large value ${sealed.sha256} is not there`);
      if ((await sha256(text)) !== sealed.sha256)
        throw new RestateError("blob", `The large value ${sealed.sha256} is damaged`);
      return JSON.parse(text) as JsonValue;
    },
  };
}

/** `undefined` for what is none. */
export function readSealed(value: unknown): Sealed | undefined {
  if (!isRecord(value)) return undefined;
  const { json, sha256: hash, chars, head } = value;
  if (typeof json === "string") return { json };
  if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash) || !isIndex(chars)) return undefined;
  return { sha256: hash, chars, ...(typeof head === "string" ? { head } : {}) };
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
