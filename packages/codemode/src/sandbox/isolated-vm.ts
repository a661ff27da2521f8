import type * as IsolatedVm from "isolated-vm";
import type { Segment } from "../runner/frames.ts";
import { OPERATION, preludeSource } from "./prelude/index.ts";
import type { Program, TurnEnd, Vm, VmFactory, VmHooks } from "./vm.ts";

type Ivm = typeof IsolatedVm;
type Entry = IsolatedVm.Reference<(operation: number, ...args: unknown[]) => unknown>;

const PRELUDE = "nestbox:prelude";

const NO_SHIFT = { line: 0, column: 0, by: 0 };

/** As good as any script: compiled and never called. */
const WARM = "(async () => {\nconst one = await tools.one({ text: 'one', count: 1 });\nreturn one.text;\n})";

/** isolated-vm's own timer keeps memory for every turn until it expires: the host's deadline serves the rest. */
const TIMED_TURNS = 1000;

/** The library tells nothing of a rejection with an object that is no error. */
const NO_ERROR = "A promise was rejected with an object that is no Error, and nobody handled it";

/** Loads the prebuilt library for this process: `isolated-vm.abi<NNN>[.glibc|.musl].node`. */
export function loadIsolatedVm(folder: string): Ivm {
  const base = `${folder}/${process.platform}-${process.arch}/isolated-vm.abi${process.versions.modules}`;
  const files = process.platform === "linux" ? [`${base}.glibc.node`, `${base}.musl.node`] : [`${base}.node`];
  const reasons: string[] = [];
  for (const file of files) {
    const loaded: { exports: { ivm?: Ivm } } = { exports: {} };
    try {
      process.dlopen(loaded, file);
      if (loaded.exports.ivm !== undefined) return loaded.exports.ivm;
    } catch (error) {
      reasons.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `No usable isolated-vm for ${process.platform}-${process.arch}, Node ${process.version}: ${reasons.join("; ")}`,
  );
}

/** Fresh isolates of isolated-vm on the calling thread. */
export function isolatedVmFactory(ivm: Ivm, memoryMb: number): VmFactory {
  const source = preludeSource();
  let cachedData: IsolatedVm.ExternalCopy<ArrayBuffer> | undefined;

  /**
   * The engine compiles a function when it is first called, and a script would wait for that. What a rehearsal has
   * made it compile goes into the cache, which a second look at the same text then finds.
   */
  function learn(rehearse: (vm: Vm) => void, hooks: () => VmHooks | undefined): void {
    const isolate = new ivm.Isolate({ memoryLimit: memoryMb });
    try {
      cachedData = undefined;
      const vm = createIn(isolate, hooks);
      rehearse({ ...vm, dispose: () => undefined });
      const again = isolate.compileScriptSync(source, { filename: PRELUDE, produceCachedData: true });
      cachedData = (again as unknown as { cachedData?: IsolatedVm.ExternalCopy<ArrayBuffer> }).cachedData;
    } finally {
      if (!isolate.isDisposed) isolate.dispose();
    }
  }

  const create = (hooks: () => VmHooks | undefined): Vm =>
    createIn(new ivm.Isolate({ memoryLimit: memoryMb }), hooks);

  function createIn(isolate: IsolatedVm.Isolate, hooks: () => VmHooks | undefined): Vm {
    const context = isolate.createContextSync();
    const prelude = isolate.compileScriptSync(source, {
      filename: PRELUDE,
      ...(cachedData === undefined ? { produceCachedData: true } : { cachedData }),
    });
    // The cache holds code of ours only; no script's code is ever kept.
    cachedData ??= (prelude as unknown as { cachedData?: IsolatedVm.ExternalCopy<ArrayBuffer> }).cachedData;
    const make = prelude.runSync(context, { reference: true, release: true }) as unknown as Entry;
    const emit = new ivm.Callback((text: string, ...segments: Segment[]) => {
      hooks()?.emit(text, segments);
    });
    const service = new ivm.Callback((operation: string, ...args: unknown[]) =>
      hooks()?.service(operation, args),
    );
    const entry = make.applySync(undefined, [emit, service] as never, {
      result: { reference: true },
    }) as unknown as Entry;
    make.release();
    let turns = 0;
    let setup: string | undefined;
    let warm = false;

    function turn(timeoutMs: number, args: readonly unknown[]): TurnEnd {
      const timed = turns++ < TIMED_TURNS;
      const started = performance.now();
      try {
        entry.applySync(
          undefined,
          args as never,
          timed ? { timeout: Math.max(1, Math.ceil(timeoutMs)) } : {},
        );
        return { kind: "waiting" };
      } catch (error) {
        return failure(error, timed && performance.now() - started >= timeoutMs);
      }
    }

    /** Bytes become the isolate's own; the copy between is freed with the call. */
    function toIsolate(segment: Segment): unknown {
      return typeof segment === "string"
        ? segment
        : new ivm.ExternalCopy(segment, { transferOut: true }).copyInto({ release: true, transferIn: true });
    }

    /**
     * What a script that was stopped has still in its queue would run after the next call into the isolate, of whatever
     * kind, without a limit: it is run into one, and the engine drops what is left.
     */
    function dropJobs(): void {
      try {
        // There is no such segment: nothing is done but what follows every call.
        entry.applySync(undefined, [OPERATION.take, -1] as never, { timeout: 1 });
      } catch {
        // Stopped, as was wanted, or a rejection that nobody is told of any more.
      }
    }

    function failure(error: unknown, late: boolean): TurnEnd {
      const message = messageOf(error);
      if (isolate.isDisposed) return { kind: "memory", message };
      if (late && message === "Script execution timed out.") return { kind: "timeout" };
      // Nothing of ours throws out of a turn: what is left is a rejection that nobody handled.
      const isError = !message.includes("isolated-vm");
      return { kind: "rejection", message: isError ? message : NO_ERROR, isError };
    }

    return {
      get setup() {
        return setup;
      },
      configure(text) {
        setup = text;
        entry.applySync(undefined, [OPERATION.configure, text] as never);
      },
      warm() {
        if (warm) return false;
        warm = true;
        isolate
          .compileScriptSync(WARM, { filename: PRELUDE })
          .runSync(context, { reference: true, release: true })
          .release();
        entry.applySync(undefined, [OPERATION.warm] as never);
        return true;
      },
      start(program: Program, own, timeoutMs) {
        let script: IsolatedVm.Reference<unknown>;
        try {
          const compiled = isolate.compileScriptSync(program.text, {
            filename: "codemode.js",
            lineOffset: program.lineOffset,
          });
          script = compiled.runSync(context, {
            reference: true,
            release: true,
          });
        } catch (error) {
          if (isolate.isDisposed) return { kind: "memory", message: messageOf(error) };
          return {
            kind: "syntax",
            name: error instanceof Error ? error.name : "SyntaxError",
            message: messageOf(error),
          };
        }
        const { trailing, mayGoOn, shift = NO_SHIFT } = program;
        const { line, column, by } = shift;
        const run = script.derefInto({ release: true });
        return turn(timeoutMs, [OPERATION.run, run, trailing, own, mayGoOn, line, column, by]);
      },
      settle: (answers, now, segments, timeoutMs) =>
        turn(timeoutMs, [OPERATION.settle, answers, now, ...segments.map(toIsolate)]),
      tick(now, timeoutMs) {
        const started = performance.now();
        for (let round = 0; round < 100; round++) {
          const left = timeoutMs - (performance.now() - started);
          if (left <= 0) return { kind: "timeout" };
          try {
            const more: unknown = entry.applySync(undefined, [OPERATION.tick, now] as never, {
              timeout: Math.ceil(left),
            });
            if (more !== true) break;
          } catch (error) {
            return failure(error, performance.now() - started >= timeoutMs);
          }
        }
        return { kind: "waiting" };
      },
      drain: () => entry.applySync(undefined, [OPERATION.drain] as never) as unknown as string,
      partial() {
        dropJobs();
        return entry.applySync(undefined, [OPERATION.partial] as never) as unknown as string;
      },
      takeSegment: (index) =>
        entry.applySync(undefined, [OPERATION.take, index] as never) as unknown as string,
      memoryBytes() {
        if (isolate.isDisposed) return undefined;
        const heap = isolate.getHeapStatisticsSync();
        return heap.used_heap_size + heap.externally_allocated_size;
      },
      dispose() {
        try {
          if (!isolate.isDisposed) isolate.dispose();
        } catch {
          // Already gone: that is what was wanted.
        }
      },
    };
  }

  return { create, learn };
}

function messageOf(error: unknown): string {
  try {
    if (error instanceof Error)
      return error.name === "Error" ? error.message : `${error.name}: ${error.message}`;
    return String(error);
  } catch {
    return "a value that cannot be described";
  }
}
