import type { JsonValue } from "@nestbox/tool";
import type { BlobStore } from "./blobs.ts";
import { RestateError } from "./errors.ts";
import { isIndex, isRecord } from "./guards.ts";

/** A value as the journal has it: its JSON, or the hash of that. */
export type Sealed = { readonly json: string } | { readonly sha256: string; readonly chars: number };

export interface Sealer {
  readonly seal: (runId: string, value: JsonValue) => Promise<Sealed>;
  /** Rejects with `blob` when it is not there or has been changed. */
  readonly open: (runId: string, sealed: Sealed) => Promise<JsonValue>;
}

export interface SealerLimits {
  readonly inlineChars: number;
  readonly maxValueChars: number;
}

export function createSealer(blobs: BlobStore, { inlineChars, maxValueChars }: SealerLimits): Sealer {
  return {
    async seal(runId, value) {
      const json = JSON.stringify(value);
      if (json.length <= inlineChars) return { json };
      if (json.length > maxValueChars) {
        const message = `A value of ${json.length} characters is more than the limit of ${maxValueChars}`;
        throw new RestateError("journal", message);
      }
      const hash = await sha256(json);
      await blobs.put(runId, hash, json);
      return { sha256: hash, chars: json.length };
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
  const { json, sha256: hash, chars } = value;
  if (typeof json === "string") return { json };
  return typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash) && isIndex(chars)
    ? { sha256: hash, chars }
    : undefined;
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
