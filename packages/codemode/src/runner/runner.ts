import type { CallableTool } from "@nestbox/tool";
import { nameTools, type ToolNames } from "../declarations/identifier.ts";
import type { ScriptErrorKind, ScriptLimits, ScriptOutcome, ScriptRequest, ScriptRunner } from "../types.ts";
import type { Clock } from "./clock.ts";
import type { SandboxDriver, SandboxSpec } from "./driver.ts";
import { abortMessage } from "./abort-message.ts";
import { checkPlace } from "./check-place.ts";
import { CodemodeError } from "./errors.ts";
import { checkSettings, resolveLimits } from "./limits.ts";
import { createOutputCheck } from "./output-check.ts";
import { Pool, type PoolLimits } from "./pool.ts";
import { ScriptRun } from "./script-run.ts";
import { Stopwatch } from "./stopwatch.ts";
import { tellEvent } from "./tell-event.ts";

export interface RunnerOptions {
  readonly driver: SandboxDriver;
  readonly clock: Clock;
  readonly pool: PoolLimits;
  /** Defaults for scripts that name no limit of their own. */
  readonly limits: Partial<ScriptLimits>;
  readonly jit: boolean;
  readonly stock: number;
  readonly timeZone: string;
  readonly locale: string;
  readonly graceMs: number;
  /** Resident memory that a sandbox may have beside twice its script's limit, in megabytes. */
  readonly residentMb: number;
}

/** What a script may take in a sandbox whose process has an hour: helping threads count, and scripts before it. */
const USUAL_CPU_MS = 900_000;

interface ToolTable {
  readonly tools: readonly CallableTool[];
  readonly names: ToolNames;
  readonly text: { readonly names: string; readonly all: string };
}

/** What the scripts are told that a runner was closed over. */
const CLOSED = "Runner closed";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const RESERVED = new Set([
  "tools",
  "ALL_TOOLS",
  "console",
  "text",
  "image",
  "exit",
  "globalThis",
  "store",
  "load",
  "ctx",
]);

/** A runner over any driver. Throws {@link CodemodeError} `misuse` for settings that make no sense. */
export function createScriptRunner(options: RunnerOptions): ScriptRunner {
  checkSettings({ ...options.pool, stock: options.stock, graceMs: options.graceMs });
  resolveLimits(options.limits);
  const pool = new Pool(options.driver, options.pool, options.clock);
  const check = createOutputCheck();
  let lastTable: ToolTable | undefined;
  let nextRun = 1;
  let closed = false;
  const running = new Set<ScriptRun>();

  function specOf(limits: ScriptLimits, request?: ScriptRequest): SandboxSpec {
    return {
      memoryMb: limits.memoryMb,
      timeZone: request?.environment?.timeZone ?? options.timeZone,
      locale: request?.environment?.locale ?? options.locale,
      jit: options.jit,
      stock: options.stock,
      maxFrameBytes: limits.maxFrameBytes,
      // Only where it must be more: sandboxes of scripts with other limits are the same otherwise.
      ...(limits.cpuMs > USUAL_CPU_MS ? { cpuSeconds: Math.ceil(limits.cpuMs / USUAL_CPU_MS) * 3_600 } : {}),
    };
  }

  async function run(request: ScriptRequest): Promise<ScriptOutcome> {
    if (closed) throw new CodemodeError("closed", "The runner is closed");
    if (typeof request.code !== "string")
      throw new CodemodeError("misuse", "A script's code must be a string");
    const limits = resolveLimits({ ...options.limits, ...definedOnly(request.limits) });
    checkGlobals(request);
    checkPlace(request.environment);
    const watch = new Stopwatch(options.clock, request.caller.pauses, (paused) =>
      tellEvent(request.onEvent, { type: paused ? "pause" : "resume" }),
    );
    try {
      if (request.code.length > limits.maxSourceChars) {
        const message = `The script has ${request.code.length} characters, more than the limit of ${limits.maxSourceChars}`;
        return notStarted(watch, "limit", "LimitError", message, false);
      }
      return await runStarted(request, limits, watch);
    } finally {
      watch.stop();
    }
  }

  async function runStarted(
    request: ScriptRequest,
    limits: ScriptLimits,
    watch: Stopwatch,
  ): Promise<ScriptOutcome> {
    const ended = new AbortController();
    let reason:
      | { readonly kind: ScriptErrorKind; readonly name: string; readonly message: string }
      | undefined;
    let active: ScriptRun | undefined;
    const end = (kind: ScriptErrorKind, name: string, message: string): void => {
      reason ??= { kind, name, message };
      ended.abort();
      active?.stop(kind, name, message);
    };
    const onAbort = (): void => end("aborted", "AbortError", abortMessage(request.signal?.reason));
    if (request.signal?.aborted === true) onAbort();
    else request.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (reason !== undefined) return notStarted(watch, reason.kind, reason.name, reason.message, false);
      const acquired = await pool.acquire(specOf(limits, request), ended.signal);
      // Also while this script was on its way to a sandbox, which is gone then without a word.
      if (closed) end("aborted", "AbortError", CLOSED);
      const cause = whyEnded();
      if (!acquired.ok || cause !== undefined) {
        if (acquired.ok) acquired.lease.release(true);
        if (cause !== undefined) return notStarted(watch, cause.kind, cause.name, cause.message, false);
        const message = acquired.ok ? "" : acquired.message;
        const failed = !acquired.ok && acquired.reason === "failed";
        return notStarted(
          watch,
          "sandbox",
          failed ? "SandboxStartError" : "SandboxBusyError",
          message,
          !failed,
        );
      }
      const { lease } = acquired;
      const { timeoutMs } = limits;
      if (timeoutMs !== undefined) {
        // The script's own time: what it waited for a process has limits of its own.
        watch.limit(watch.wallMs - watch.pausedMs + timeoutMs, () =>
          end("timeout", "TimeoutError", `Execution timed out after ${timeoutMs} ms`),
        );
      }
      try {
        // Read once: the catalogue is fixed for a run (contract R10).
        const tools = callable(request.caller.tools);
        const { names, text } = namesOf(tools, request);
        active = new ScriptRun({
          run: nextRun++,
          request,
          limits,
          tools,
          check,
          names,
          lease,
          clock: options.clock,
          watch,
          graceMs: options.graceMs,
          maxResidentBytes: (options.residentMb + 2 * limits.memoryMb) * 1024 * 1024,
        });
        running.add(active);
        active.start(text);
      } catch (error) {
        // Misuse by the host: its catalogue, texts or clock threw. The sandbox is not the one to pay for it.
        if (active === undefined) lease.release(true);
        else active.stop("sandbox", "SandboxError", "The script could not be started");
        throw error;
      }
      return await active.outcome;
    } finally {
      request.signal?.removeEventListener("abort", onAbort);
      if (active !== undefined) running.delete(active);
    }

    // Read through a function: the compiler would conclude that nothing has changed meanwhile.
    function whyEnded(): typeof reason {
      return reason;
    }
  }

  /** Names and texts of a run's tools; kept as long as the next run has the very same tools and no texts of its own. */
  function namesOf(tools: readonly CallableTool[], request: ScriptRequest): ToolTable {
    const { describe } = request;
    if (describe === undefined && lastTable !== undefined && sameItems(lastTable.tools, tools))
      return lastTable;
    const names = nameTools(tools.map((tool) => tool.name));
    const rows = tools.map((tool) => [tool.name, names.identifierOf(tool.name)]);
    const all = tools.map((tool) => {
      const identifier = names.identifierOf(tool.name);
      return { name: identifier, description: describe?.(tool, identifier) ?? tool.description };
    });
    const made = { tools, names, text: { names: JSON.stringify(rows), all: JSON.stringify(all) } };
    if (describe === undefined) lastTable = made;
    return made;
  }

  return {
    run,
    async warm() {
      if (closed) throw new CodemodeError("closed", "The runner is closed");
      const failure = await pool.warm(specOf(resolveLimits(options.limits)));
      if (failure !== undefined) throw new CodemodeError("no-sandbox", failure);
    },
    close() {
      closed = true;
      for (const script of running) script.stop("aborted", "AbortError", CLOSED);
      pool.close();
      return Promise.resolve();
    },
  };
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** A script never starts a script: a tool with that name is not in its table. */
function callable(tools: readonly CallableTool[]): readonly CallableTool[] {
  const seen = new Set<string>();
  return tools.filter((tool) => {
    if (tool.name === "codemode" || seen.has(tool.name)) return false;
    seen.add(tool.name);
    return true;
  });
}

function definedOnly(limits: Partial<ScriptLimits> = {}): Partial<ScriptLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

function checkGlobals(request: ScriptRequest): void {
  const names = new Set<string>();
  const groups = new Set<string>();
  for (const { name } of request.globals ?? []) {
    const parts = name.split(".");
    if (parts.length > 2 || !parts.every((part) => IDENTIFIER.test(part)) || RESERVED.has(parts[0] ?? "")) {
      throw new CodemodeError("misuse", `"${name}" cannot be the name of a global`);
    }
    if (names.has(name)) throw new CodemodeError("misuse", `The global "${name}" is there twice`);
    names.add(name);
    if (parts.length === 2) groups.add(parts[0] ?? "");
  }
  for (const group of groups) {
    if (names.has(group))
      throw new CodemodeError("misuse", `The global "${group}" cannot be a function and a group`);
  }
}

function notStarted(
  watch: Stopwatch,
  kind: ScriptErrorKind,
  name: string,
  message: string,
  retryable: boolean,
): ScriptOutcome {
  return {
    ok: false,
    error: { kind, name, message, stack: `${name}: ${message}`, ...(retryable ? { retryable } : {}) },
    output: [],
    calls: [],
    warnings: [],
    stats: { wallMs: watch.wallMs, cpuMs: 0, pausedMs: watch.pausedMs, calls: 0, outputChars: 0 },
  };
}
