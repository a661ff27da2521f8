/** A value that JSON can carry: what crosses every boundary of Nestbox. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object: own enumerable string keys only. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
