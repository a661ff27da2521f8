/**
 * The sandbox process. It holds isolates and nothing else: frames come in on descriptor 0 and leave on 1. Every
 * power that Node has is given up before the first script, as far as Node lets it; what a script can reach is
 * decided by the isolate, this is the wall behind it.
 */
import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CHUNK_BYTES, FRAME, frameChunks, type Frame, FrameReader, type Segment } from "../runner/frames.ts";
import { readNow, sleepingRead, writeNow } from "../node/read-now.ts";
import { Poller } from "../runner/poller.ts";
import { prepareSource } from "../source/prepare.ts";
import { closeInherited } from "./close-inherited.ts";
import { isolatedVmFactory, loadIsolatedVm } from "./isolated-vm.ts";
import { preludeSource } from "./prelude/index.ts";
import { rehearse } from "./rehearsal.ts";
import { createServices } from "./services.ts";
import { createSession, type Session } from "./session.ts";
import { createStock } from "./stock.ts";
import type { Vm, VmHooks } from "./vm.ts";

interface StartHeader {
  readonly cpuMs: number;
  readonly memoryMb: number;
  readonly globals: readonly string[];
  readonly limits: object;
  readonly environment: object;
  readonly timeZone?: string;
}

interface Settings {
  readonly prebuilds: string;
  readonly memoryMb: number;
  readonly stock: number;
  readonly maxFrameBytes: number;
  /** Whether there is a core to spare for looking at the pipe between two turns. */
  readonly poll: boolean;
}

/**
 * Longer than the host looks and steps aside together: where both have got one core, the host that comes back finds
 * it taken by this look and is given another, which a sleep in place of the look would put off for hundreds of turns.
 */
const POLL_MS = 0.3;
/** Traffic of one script after which its garbage is collected at once. */
const COLLECT_BYTES = 8 * 1024 * 1024;

function main(settings: Settings): void {
  const ivm = loadIsolatedVm(settings.prebuilds);
  const strip = (source: string): string => stripTypeScriptTypes(source, { mode: "strip" });
  const prepare = (code: string) => prepareSource(code, { strip });
  giveUpPowers();

  const factories = new Map<number, ReturnType<typeof isolatedVmFactory>>();
  const factory = (memoryMb: number) => {
    let made = factories.get(memoryMb);
    if (made === undefined) {
      if (factories.size >= 8) factories.clear();
      made = isolatedVmFactory(ivm, memoryMb);
      factories.set(memoryMb, made);
    }
    return made;
  };

  let session: Session | undefined;
  let tools = { names: "[]", all: "[]" };
  let lastSetup: string | undefined;
  const services = createServices(() => tools.all);
  const hooks: VmHooks = {
    emit: (text, segments) => session?.hooks(text, segments),
    service: (operation, args) => services.call(operation, args),
  };
  const stock = createStock<Vm>({
    size: settings.stock,
    make: () => makeVm(settings.memoryMb),
    isBusy: () => session !== undefined,
    wait(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    learn() {
      factory(settings.memoryMb).learn(
        (vm) => rehearse(vm, prepare),
        () => hooks,
      );
    },
    // The next script is likely to have what the last one had.
    ripen(vm) {
      if (lastSetup === undefined || vm.setup !== undefined) return vm.warm();
      vm.configure(lastSetup);
      return true;
    },
    // What the first TypeScript would wait for.
    whenFull: () => void strip("let x: number"),
  });

  function makeVm(memoryMb: number): Vm {
    return factory(memoryMb).create(() => hooks);
  }

  /** A realm from the stock, unless it was configured for another script. */
  function vmFor(setup: string, memoryMb: number): Vm {
    lastSetup = setup;
    if (memoryMb !== settings.memoryMb) return makeVm(memoryMb);
    for (let vm = stock.take(); vm !== undefined; vm = stock.take()) {
      if (vm.setup === undefined || vm.setup === setup) return vm;
      vm.dispose();
    }
    return makeVm(memoryMb);
  }

  const collect = collector();
  const out = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let traffic = 0;

  function send(type: number, run: number, header: string, segments: readonly Segment[] = []): void {
    traffic += header.length;
    for (const segment of segments) traffic += segment.length;
    for (const chunk of frameChunks(type, run, header, segments, out)) {
      // The host reads or ends this process: there is nothing else to do meanwhile.
      if (writeNow(1, chunk, Number.POSITIVE_INFINITY) < chunk.length) throw new Error("The host is gone");
    }
  }

  function start(frame: Frame): void {
    const header = JSON.parse(frame.header) as StartHeader;
    const [code = "", store = "{}"] = texts(frame);
    const { limits, globals, environment } = header;
    const setup = `{"tools":${tools.names},"globals":${JSON.stringify(globals)},"limits":${JSON.stringify(limits)}}`;
    const vm = vmFor(setup, header.memoryMb);
    session = createSession({
      run: frame.run,
      vm,
      code,
      setup,
      own: `{"store":${store},"environment":${JSON.stringify(environment)}}`,
      cpuMs: header.cpuMs,
      memoryMb: header.memoryMb,
      maxFrameBytes: settings.maxFrameBytes,
      prepare,
      send,
      clock: () => performance.now(),
      ended() {
        session = undefined;
        if (traffic > COLLECT_BYTES) collect();
        traffic = 0;
        stock.refill();
      },
    });
    session.start();
  }

  function receive(frame: Frame): void {
    for (const segment of frame.segments) traffic += segment.length;
    if (frame.type === FRAME.tools) {
      const [names = "[]", all = "[]"] = texts(frame);
      tools = { names, all };
      return;
    }
    if (frame.type === FRAME.start) {
      start(frame);
      return;
    }
    if (session === undefined || session.run !== frame.run) return;
    if (frame.type === FRAME.stop) session.stop();
    else if (frame.type === FRAME.tick) session.tick(Number(frame.header));
    else if (frame.type === FRAME.answers) {
      const semicolon = frame.header.indexOf(";");
      session.settle(
        frame.header.slice(semicolon + 1),
        Number(frame.header.slice(0, semicolon)),
        frame.segments,
      );
    }
  }

  const reader = new FrameReader(settings.maxFrameBytes, receive);
  // Read through a function: a frame that the poll takes may end the session.
  const isRunning = (): boolean => session !== undefined;
  // While a script runs, all that this process waits for is its next frame.
  const sleep = sleepingRead(process.stdin);
  const poller = new Poller({
    read: (buffer) => readNow(0, buffer),
    onChunk: (chunk) => reader.push(chunk),
    isPartial: () => reader.isPartial,
    now: () => performance.now(),
    budgetMs: settings.poll ? POLL_MS : 0,
    maxInRow: Number.POSITIVE_INFINITY,
    maxPartialMs: Number.POSITIVE_INFINITY,
    sleep,
  });
  process.stdin.on("data", (chunk: Buffer) => {
    poller.rest();
    reader.push(chunk);
    if (!settings.poll && sleep === undefined) return;
    while (isRunning() && poller.poll());
  });
  // A terminal tells the whole group; it is for the host to decide what an interrupt means.
  process.on("SIGINT", () => undefined);
  // The host is gone: nobody is left to run for.
  process.stdin.on("end", () => process.exit(0));
  stock.add();
  send(FRAME.ready, 0, JSON.stringify(engineOf()));
  stock.refill();
}

const texts = (frame: Frame): readonly string[] =>
  frame.segments.filter((segment) => typeof segment === "string");

/** What a script's behaviour may depend on: a run that goes on elsewhere compares it. */
function engineOf(): Readonly<Record<string, string | undefined>> {
  const { v8, icu, cldr, tz, unicode, modules } = process.versions;
  const prelude = createHash("sha256").update(preludeSource()).digest("hex").slice(0, 16);
  return { node: process.version, abi: modules, v8, icu, cldr, tz, unicode, arch: process.arch, prelude };
}

/** Collects the garbage of this process's own heap. No isolate is made while the flag is up, so none has `gc`. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? () => void Reflect.apply(collect, undefined, []) : () => undefined;
}

/** Takes from this process what it needs no more; nothing of it is in a script's reach in the first place. */
function giveUpPowers(): void {
  const powers = process as unknown as Record<string, unknown>;
  for (const name of [
    "dlopen",
    "kill",
    "binding",
    "_linkedBinding",
    "_kill",
    "_debugProcess",
    "chdir",
    "setuid",
    "setgid",
  ]) {
    powers[name] = undefined;
  }
  for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name);
  const permission = (process as unknown as { permission?: { drop?: (scope: string) => void } }).permission;
  try {
    permission?.drop?.("addon");
  } catch {
    // Older Nodes cannot drop it; nothing here loads another library.
  }
}

closeInherited(process.argv[3] ?? "");
main(JSON.parse(process.argv[2] ?? "{}") as Settings);
