/** Code by what it is about: an expression, or statements that return. */
export type WebCases = Readonly<Record<string, readonly string[]>>;

/** Source of a function that makes text of any value; it runs on both sides, so it uses what both have. */
const SHOW = String.raw`
function show(v, depth = 0) {
  if (v === undefined || v === null || typeof v === "boolean" || typeof v === "symbol") return String(v);
  if (typeof v === "bigint") return v + "n";
  if (typeof v === "number") return Object.is(v, -0) ? "-0" : String(v);
  if (typeof v === "string") return JSON.stringify(v);
  if (typeof v === "function") return "function " + v.name + "/" + v.length;
  if (depth > 6) return "…";
  const members = () => Object.keys(v).map((key) => JSON.stringify(key) + ":" + show(v[key], depth + 1)).join(",");
  const tag = Object.prototype.toString.call(v);
  if (Array.isArray(v)) {
    const items = Array.from({ length: v.length }, (_, i) => (i in v ? show(v[i], depth + 1) : "hole"));
    return "[" + items.join(",") + "]" + (Object.keys(v).length > v.length ? members() : "");
  }
  if (v instanceof Map || v instanceof Set) return tag + show([...v], depth + 1);
  if (v instanceof Date) return tag + v.getTime();
  if (v instanceof RegExp) return String(v);
  if (v instanceof Error) return tag + v.name + (v instanceof DOMException || tag === "[object Error]" ? "" : v.code);
  if (v instanceof ArrayBuffer) return tag + (v.resizable ? v.maxByteLength : "") + show([...new Uint8Array(v)]);
  if (ArrayBuffer.isView(v)) return tag + v.byteOffset + show(v instanceof DataView ? v.byteLength : [...v]);
  return tag + "{" + members() + "}";
}`;

/** A script that gives what each case came to, as JSON of a list of texts. */
export function casesScript(cases: readonly string[]): string {
  const functions = cases.map((code) =>
    /\breturn\b|^const /.test(code) ? `async () => { ${code} }` : `async () => (${code})`,
  );
  return `${SHOW}
const out = [];
for (const run of [${functions.join(",\n")}]) {
  try { out.push(show(await run())) } catch (error) {
    out.push("throws " + (error instanceof Error ? error.name + " " + (error instanceof DOMException ? error.code : "") : show(error)));
  }
}
return JSON.stringify(out);`;
}
