/**
 * The calls of one script, on the host's side: every one is looked up in the script's own table, made through the
 * caller, recorded, and answered. The sandbox only ever names an index or a name; nothing it says is trusted.
 */
import {
  shorten,
  type CallableTool,
  type CallDecision,
  type SchemaError,
  type ToolCallOutcome,
  type ToolResult,
} from "@nestbox/tool";
import type { NamedTool } from "../declarations/identifier.ts";
import { messageOf } from "../shared/guards.ts";
import type { ScriptCall, ScriptEvent, ScriptRequest } from "../types.ts";
import type { Clock } from "./clock.ts";
import { Stopwatch } from "./stopwatch.ts";
import { Denials } from "./denials.ts";
import type { OutputCheck } from "./output-check.ts";
import type { SentArgs } from "./protocol.ts";
import { answerOf, denial, type ScriptAnswer, textOf, toPlain } from "./script-value.ts";

const MAX_ERROR_CHARS = 500;
const MAX_PROGRESS_CHARS = 2_000;
/** Of a name that no tool has, so many characters are told and looked at. */
const MAX_NAME_CHARS = 200;

export interface ScriptCallsOptions {
  readonly request: ScriptRequest;
  readonly tools: readonly CallableTool[];
  readonly names: readonly NamedTool[];
  readonly clock: Clock;
  readonly emit: (event: ScriptEvent) => void;
  readonly check: OutputCheck;
  readonly callTimeoutMs: number | undefined;
  /** Bytes that the arguments of all calls that have not come back may take in this process. */
  readonly maxHeldBytes: number;
  readonly answer: (id: number, answer: ScriptAnswer) => void;
}

/** One call as the sandbox has named it. */
export interface NestedCall {
  readonly id: number;
  readonly args: SentArgs;
  /** 1-based line of the script, 0 where unknown. */
  readonly line: number;
}

type ReadOutcome = (outcome: ToolCallOutcome, decision: CallDecision | undefined) => ScriptAnswer;

interface HeldArgs {
  readonly args: unknown;
  readonly release: () => void;
}

type MutableCall = { -readonly [K in keyof ScriptCall]: ScriptCall[K] };

interface OpenCall {
  readonly record: MutableCall | undefined;
  readonly controller: AbortController;
  readonly startedAt: number;
  /** It was ended by its own limit: what the tool says later changes nothing. */
  timedOut?: boolean;
}

/** Members that a host may add to an outcome. */
type HostOutcome = ToolCallOutcome & {
  readonly failure?: unknown;
  readonly outputErrors?: readonly SchemaError[];
};

const NEVER_BEGAN = new Set<unknown>(["not-found", "invalid-arguments", "denied", "limit"]);

export class ScriptCalls {
  readonly #options: ScriptCallsOptions;
  readonly #tools: ReadonlyMap<string, CallableTool>;
  readonly #records: MutableCall[] = [];
  readonly #open = new Map<number, OpenCall>();
  readonly #denials = new Denials();
  #heldBytes = 0;
  #lastId = 0;
  #ended = false;

  constructor(options: ScriptCallsOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  get open(): number {
    return this.#open.size;
  }

  get count(): number {
    return this.#records.length;
  }

  records(): readonly ScriptCall[] {
    return this.#records.map((record) => ({ ...record }));
  }

  /** Whether the effect of some call may have begun. */
  get anyBegan(): boolean {
    return this.#records.some((record) => record.began);
  }

  get anyDenied(): boolean {
    return this.#records.some((record) => record.status === "denied");
  }

  /** Ids only ever grow: one that was used, or is out of order, is not a call of this script. */
  accepts(id: number): boolean {
    if (id <= this.#lastId) return false;
    this.#lastId = id;
    return true;
  }

  callTool(call: NestedCall, index: number): boolean {
    const tool = this.#options.tools[index];
    if (tool === undefined) return false;
    const read: ReadOutcome = (outcome, decision) => answerOf(tool, outcome, decision);
    const held = this.#hold(call.args);
    if (held === undefined) this.#refuse(call, tool.name, read);
    else void this.#call(call, held, tool, read);
    return true;
  }

  /** `ctx.executeTool`: the outcome itself is the value, whatever it is (contract A19). */
  executeTool(call: NestedCall, name: string): void {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      const result: ToolResult = { content: [{ type: "text", text: this.#notFound(name) }], details: {} };
      const held = this.#hold(call.args);
      const value = {
        toolCall: { type: "toolCall", id: "", name, arguments: toPlain(held?.args) ?? {} },
        result,
        isError: true,
      };
      this.#options.answer(call.id, { kind: "value", value });
      held?.release();
      return;
    }
    const read: ReadOutcome = (outcome) => ({
      kind: "value",
      value: { toolCall: outcome.toolCall, result: outcome.result, isError: outcome.isError },
      what: `the outcome of ${tool.name}`,
    });
    const held = this.#hold(call.args);
    if (held === undefined) this.#refuse(call, name, read);
    else void this.#call(call, held, tool, read);
  }

  callGlobal(id: number, index: number, sent: SentArgs): boolean {
    const global = this.#options.request.globals?.[index];
    if (global === undefined) return false;
    const held = this.#hold(sent);
    if (held === undefined) {
      const message = this.#tooMuch(global.name);
      this.#options.answer(id, { kind: "error", name: "RangeError", message, denied: false });
      return true;
    }
    const controller = new AbortController();
    this.#open.set(id, { record: undefined, controller, startedAt: 0 });
    void (async () => {
      let answer: ScriptAnswer;
      try {
        const list = (Array.isArray(held.args) ? held.args : []) as never;
        answer = { kind: "value", value: await global.execute(list, { signal: controller.signal }) };
      } catch (error) {
        answer = { kind: "error", name: errorName(error), message: messageOf(error), denied: false };
      }
      held.release();
      if (this.#open.delete(id)) this.#options.answer(id, answer);
    })();
    return true;
  }

  /** Aborts what is still running; those calls are on record as `cancelled`. */
  end(): void {
    this.#ended = true;
    for (const [id, call] of this.#open) {
      this.#open.delete(id);
      if (call.record !== undefined) {
        call.record.status = "cancelled";
        call.record.durationMs = this.#options.clock.now() - call.startedAt;
        this.#tell(call.record);
      }
      call.controller.abort(new DOMException("The script has ended", "AbortError"));
    }
  }

  /** Reads arguments where there is room for them, which is theirs until the tool is done, whatever became of its call. */
  #hold({ atLeast, read }: SentArgs): HeldArgs | undefined {
    const room = this.#options.maxHeldBytes - this.#heldBytes;
    if (atLeast > room) return undefined;
    const { value, bytes } = read();
    if (bytes > room) return undefined;
    this.#heldBytes += bytes;
    return { args: value, release: () => void (this.#heldBytes -= bytes) };
  }

  #tooMuch(name: string): string {
    return `${name} was not called: the arguments of all calls that are running would take more than the limit of ${this.#options.maxHeldBytes} bytes (maxFrameBytes); await some of them first`;
  }

  #refuse({ id, line }: NestedCall, name: string, read: ReadOutcome): void {
    const record = this.#record(name, line);
    const text = this.#tooMuch(name);
    record.status = "error";
    record.began = false;
    record.durationMs = 0;
    record.error = shorten(text, MAX_ERROR_CHARS);
    this.#tell(record);
    const outcome: ToolCallOutcome = {
      toolCall: { type: "toolCall", id: "", name, arguments: {} },
      result: { content: [{ type: "text", text }], details: { name: "RangeError" } },
      isError: true,
    };
    this.#options.answer(id, read(outcome, undefined));
  }

  #record(name: string, line: number): MutableCall {
    const record: MutableCall = {
      index: this.#records.length,
      id: "",
      name,
      status: "running",
      began: true,
      ...(line > 0 ? { line } : {}),
    };
    this.#records.push(record);
    return record;
  }

  async #call(
    { id, line }: NestedCall,
    { args, release }: HeldArgs,
    tool: CallableTool,
    read: ReadOutcome,
  ): Promise<void> {
    const { request, clock } = this.#options;
    const { name } = tool;
    const record = this.#record(name, line);
    const remembered = this.#denials.find(name, args);
    if (remembered !== undefined) {
      release();
      // Asked and refused once: the same call is not asked again, whoever makes it.
      record.status = "denied";
      record.began = false;
      record.durationMs = 0;
      record.decision = remembered.decision;
      record.error = shorten(remembered.text, MAX_ERROR_CHARS);
      this.#tell(record);
      const outcome: ToolCallOutcome = {
        toolCall: { type: "toolCall", id: "", name, arguments: {} },
        result: { content: [{ type: "text", text: remembered.text }], details: {} },
        isError: true,
        decision: remembered.decision,
      };
      this.#options.answer(id, read(outcome, remembered.decision));
      return;
    }
    const controller = new AbortController();
    const startedAt = clock.now();
    const open: OpenCall = { record, controller, startedAt };
    this.#open.set(id, open);
    this.#tell(record);
    const watch = this.#limit(id, open, name);
    let answer: ScriptAnswer;
    try {
      const outcome: HostOutcome = await request.caller.executeTool(name, args, {
        signal: controller.signal,
        onUpdate: (partial) => this.#progress(record, partial),
      });
      if (open.timedOut === true) return;
      answer = this.#settle(record, tool, args, outcome, controller.signal, read);
    } catch (error) {
      if (open.timedOut === true) return;
      // A caller never rejects for a tool's failure: what rejects is the host itself, or arguments that it refuses.
      record.status = controller.signal.aborted ? "cancelled" : "error";
      record.error = shorten(messageOf(error), MAX_ERROR_CHARS);
      answer = { kind: "error", name: errorName(error), message: messageOf(error), denied: false };
    } finally {
      release();
    }
    watch?.stop();
    if (!this.#open.delete(id)) return;
    record.durationMs ??= clock.now() - startedAt;
    this.#tell(record);
    this.#options.answer(id, answer);
  }

  /** Ends a call that takes too long: the script is told at once, whatever the tool does with its signal. */
  #limit(id: number, open: OpenCall, name: string): Stopwatch | undefined {
    const { callTimeoutMs, clock, request } = this.#options;
    if (callTimeoutMs === undefined) return undefined;
    const watch = new Stopwatch(clock, request.caller.pauses, () => undefined);
    watch.limit(callTimeoutMs, () => {
      watch.stop();
      if (!this.#open.delete(id) || open.record === undefined) return;
      const message = `The call of ${name} took longer than the limit of ${callTimeoutMs} ms`;
      open.timedOut = true;
      open.record.status = "cancelled";
      open.record.error = message;
      open.record.durationMs = clock.now() - open.startedAt;
      this.#tell(open.record);
      open.controller.abort(new DOMException(message, "TimeoutError"));
      this.#options.answer(id, { kind: "error", name: "TimeoutError", message, denied: false });
    });
    return watch;
  }

  #settle(
    record: MutableCall,
    tool: CallableTool,
    args: unknown,
    outcome: HostOutcome,
    signal: AbortSignal,
    read: ReadOutcome,
  ): ScriptAnswer {
    const decision = outcome.decision ?? this.#decisionOf(outcome.toolCall.id);
    // After the end the record says `cancelled` and stays so.
    if (!this.#ended) {
      record.id = outcome.toolCall.id;
      if (decision !== undefined) record.decision = decision;
      const denied = decision?.effect === "deny";
      if (denied || (outcome.durationMs === undefined && NEVER_BEGAN.has(outcome.failure)))
        record.began = false;
      if (outcome.durationMs !== undefined) record.durationMs = outcome.durationMs;
      if (outcome.isError) {
        // The host may have cancelled the call with a signal of its own.
        const cancelled = signal.aborted || outcome.failure === "cancelled";
        record.status = denied ? "denied" : cancelled ? "cancelled" : "error";
        record.error = shorten(textOf(outcome.result) || `Tool "${tool.name}" failed`, MAX_ERROR_CHARS);
      } else record.status = "ok";
      this.#checkOutput(tool, outcome);
      if (denied && decision !== undefined) {
        const spoken = denial(textOf(outcome.result), decision);
        const text = spoken.kind === "error" ? spoken.message : "";
        this.#denials.add(tool.name, args, { decision, text });
      }
    }
    return read(outcome, decision);
  }

  /** The effect has happened: the value goes on to the script, together with a warning (contract R10). */
  #checkOutput(tool: CallableTool, outcome: HostOutcome): void {
    const { structuredContent } = outcome.result;
    if (tool.outputSchema === undefined || structuredContent === undefined) return;
    const places = this.#options.check(tool.outputSchema, structuredContent, outcome.outputErrors);
    if (places === undefined) return;
    const message = `The result of ${tool.name} does not match its output schema; the call has run\n${places}`;
    this.#options.emit({
      type: "warning",
      warning: { kind: "schema-mismatch", message, callId: outcome.toolCall.id },
    });
  }

  #decisionOf(callId: string): CallDecision | undefined {
    try {
      return this.#options.request.decisionOf?.(callId);
    } catch {
      return undefined;
    }
  }

  #progress(record: MutableCall, partial: ToolResult): void {
    if (record.status !== "running") return;
    try {
      const text = textOf(partial).slice(-MAX_PROGRESS_CHARS);
      this.#options.emit({ type: "progress", callId: record.id, index: record.index ?? 0, text });
    } catch {
      // A partial result without content is no progress.
    }
  }

  #tell(record: MutableCall): void {
    this.#options.emit({ type: "call", call: { ...record } });
  }

  #notFound(full: string): string {
    const name = shorten(full, MAX_NAME_CHARS);
    const known = this.#options.names.map((tool) => tool.name);
    const wanted = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
    const close = known.filter(
      (other) =>
        wanted !== "" &&
        other
          .toLowerCase()
          .replaceAll(/[^a-z0-9]/g, "")
          .includes(wanted),
    );
    return close.length === 0
      ? `Tool ${name} not found`
      : `Tool ${name} not found. Did you mean ${close.slice(0, 5).join(", ")}?`;
  }
}

function errorName(error: unknown): string {
  try {
    return error instanceof Error && typeof error.name === "string" ? error.name : "Error";
  } catch {
    return "Error";
  }
}
