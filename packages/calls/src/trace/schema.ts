import { compileSchema, type CallDecision, type SchemaError } from "@nestbox/tool";

/** How a traced call stands. `running`: it had not ended when the trace was taken. */
export type TraceStatus = "ok" | "error" | "denied" | "cancelled" | "running";

/** One call in a trace. */
export interface TraceCall {
  readonly id: string;
  readonly name: string;
  /** The calling call, also where that one is not in the trace. */
  readonly parentId?: string;
  /** Milliseconds since the trace's first event. */
  readonly startMs: number;
  /** Milliseconds from start to end, waiting and deciding included. */
  readonly durationMs?: number;
  /** Milliseconds `execute` took; absent when the tool did not run. */
  readonly runMs?: number;
  readonly status: TraceStatus;
  readonly decision?: CallDecision;
  /** UTF-8 bytes of the arguments as JSON. */
  readonly argumentBytes: number;
  /** The arguments as JSON text, redacted and cut. */
  readonly arguments?: string;
  /** UTF-8 bytes of content and structured content as JSON. */
  readonly resultBytes?: number;
  /** What came back as JSON text, redacted and cut: structured content where there is any, else content. */
  readonly result?: string;
  /**
   * 1-based line of the script that made the call, where known: that of the nearest call above that carries one, else
   * the trace's own.
   */
  readonly line?: number;
  /** The script that this call ran, where it is not the trace's own. */
  readonly script?: TraceScript;
  /** Partial results that the call told. */
  readonly updates: number;
  /** Redacted and cut. */
  readonly error?: string;
  /** In the order in which they began. */
  readonly children: readonly TraceCall[];
}

/** One piece of a script's output, redacted and cut. An image is told by its kind and size. */
export interface TraceOutput {
  readonly kind: "text" | "image" | "console";
  readonly text: string;
}

/** One limit of a script and what was used of it. Without `max` nothing limits it. */
export interface TraceLimit {
  readonly name: "cpu" | "wall" | "memory" | "calls" | "output" | "paused";
  readonly unit: "ms" | "bytes" | "calls" | "chars";
  readonly max?: number;
  /** Absent while the script runs, and where it was not measured. */
  readonly used?: number;
}

/** The script whose calls these are. */
export interface TraceScript {
  readonly name?: string;
  /** The call that ran it, where one did. */
  readonly callId?: string;
  /** Its source, redacted and cut at the end; lines keep their numbers. */
  readonly text: string;
  readonly state: "running" | "ended";
  readonly output: readonly TraceOutput[];
  /** Pieces of output that are not kept. */
  readonly outputOmitted: number;
  readonly limits: readonly TraceLimit[];
  /** Absent while it runs. */
  readonly outcome?: {
    readonly ok: boolean;
    /** What it returned as JSON text, redacted and cut. */
    readonly value?: string;
    readonly error?: {
      readonly kind: string;
      readonly name: string;
      readonly message: string;
      readonly line?: number;
    };
  };
}

/** A run as a tree of calls; as JSON it is a file that other tools draw. */
export interface CallTrace {
  readonly schema: "nestbox.call-trace";
  readonly version: 1;
  /** Wall time of the first event, ISO 8601; absent before one. */
  readonly startedAt?: string;
  /** Milliseconds from the first event to the last. */
  readonly durationMs: number;
  /** Calls that did not fit into the trace. */
  readonly omitted: number;
  /** Where a script made the calls and the builder was told of it; of several the one that began last. */
  readonly script?: TraceScript;
  /** Scripts that did not fit into the trace; absent: none. */
  readonly scriptsOmitted?: number;
  readonly calls: readonly TraceCall[];
}

const text = { type: "string" } as const;
const count = { type: "number", minimum: 0 } as const;

/** JSON Schema of {@link CallTrace}. A version that reads differently gets another `version`. */
export const callTraceSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  required: ["schema", "version", "durationMs", "omitted", "calls"],
  properties: {
    schema: { const: "nestbox.call-trace" },
    version: { const: 1 },
    startedAt: text,
    durationMs: count,
    omitted: count,
    script: { $ref: "#/$defs/script" },
    scriptsOmitted: count,
    calls: { type: "array", items: { $ref: "#/$defs/call" } },
  },
  $defs: {
    script: {
      type: "object",
      required: ["text", "state", "output", "outputOmitted", "limits"],
      properties: {
        name: text,
        callId: text,
        text,
        state: { enum: ["running", "ended"] },
        output: {
          type: "array",
          items: {
            type: "object",
            required: ["kind", "text"],
            properties: { kind: { enum: ["text", "image", "console"] }, text },
          },
        },
        outputOmitted: count,
        limits: {
          type: "array",
          items: {
            type: "object",
            required: ["name", "unit"],
            properties: { name: text, unit: text, max: count, used: count },
          },
        },
        outcome: {
          type: "object",
          required: ["ok"],
          properties: {
            ok: { type: "boolean" },
            value: text,
            error: {
              type: "object",
              required: ["kind", "name", "message"],
              properties: { kind: text, name: text, message: text, line: count },
            },
          },
        },
      },
    },
    call: {
      type: "object",
      required: ["id", "name", "startMs", "status", "argumentBytes", "updates", "children"],
      properties: {
        id: text,
        name: text,
        parentId: text,
        startMs: count,
        durationMs: count,
        runMs: count,
        status: { enum: ["ok", "error", "denied", "cancelled", "running"] },
        decision: {
          type: "object",
          required: ["effect", "rule", "layer"],
          properties: { effect: { enum: ["allow", "ask", "deny"] }, rule: text, layer: text },
        },
        argumentBytes: count,
        arguments: text,
        resultBytes: count,
        result: text,
        line: count,
        script: { $ref: "#/$defs/script" },
        updates: count,
        error: text,
        children: { type: "array", items: { $ref: "#/$defs/call" } },
      },
    },
  },
} as const;

export type ReadTrace =
  | { readonly ok: true; readonly trace: CallTrace }
  | { readonly ok: false; readonly errors: readonly SchemaError[] };

/** Reads a trace from the text of a file. */
export function readTrace(json: string): ReadTrace {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, errors: [{ path: "", message: "is not JSON" }] };
  }
  const checked = compileSchema<object>(callTraceSchema).check(value);
  // The schema says what the type says.
  return checked.ok ? { ok: true, trace: checked.value as CallTrace } : { ok: false, errors: checked.errors };
}
