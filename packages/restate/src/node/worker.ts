import { createServer, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import * as restate from "@restatedev/restate-sdk";
import { messageOf, RestateError } from "../errors.ts";
import { journalOptions, openRestate, type RestateOptions } from "../runs.ts";
import { journalObject } from "./journal-object.ts";
import { type Carrier, createRunWorkflow } from "./run-workflow.ts";

export interface WorkerOptions extends RestateOptions {
  /** What a run may call and how it is run. Asked each time a run is carried on here. */
  readonly carrierFor: (runId: string) => Carrier | Promise<Carrier>;
  /** Default `127.0.0.1`: whoever reaches it can have runs carried on. */
  readonly host?: string;
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** Several workers of one machine listen at one port, and the system hands connections out. Not on macOS. */
  readonly reusePort?: boolean;
  /** Public keys of the server; without one of their signatures a request is refused. */
  readonly identityKeys?: readonly string[];
  /**
   * How long a parked run keeps its connection, without an isolate, before it is suspended. A cancellation by the
   * server's own means reaches a run that has been carried on for longer only when it parks; `cancelDurable` reaches
   * it always. A run that finds no room counts as under way for as long. Default 5,000 ms.
   */
  readonly suspendAfterMs?: number;
  /** The longest that a run may be carried on without parking or ending. Default 86,400,000 ms. */
  readonly maxActiveMs?: number;
  /** How often a run may park. Default 10,000. */
  readonly maxParks?: number;
  /**
   * Parts of runs at a time in this process; the others wait, and hold no invocation of the server. All workers'
   * together have to stay well below the server's `concurrent-invocations-limit` (1,000 a partition), which counts each
   * step of a run besides. Default 200.
   */
  readonly maxActive?: number;
  /** What the workflow's side has to say. Default: nowhere. */
  readonly onLog?: (level: string, message: string) => void;
}

export interface Worker {
  readonly url: string;
  /** Lets go of its runs once what is under way is kept, and closes; what does not end within `drainMs` is cut off. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

const DRAIN_MS = 10_000;
const DAY_MS = 86_400_000;

/** Listens for the server. It must be registered once, under an address at which the server reaches it. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { host = "127.0.0.1", port = 0, onLog } = options;
  const drain = new AbortController();
  const parts = new Map<string, Promise<unknown>>();
  const sessions = new Set<ServerHttp2Session>();
  const runs = openRestate(options);
  const runWorkflow = createRunWorkflow({
    carrierFor: options.carrierFor,
    journal: (runId) => runs.run(runId),
    sealer: journalOptions(options).sealer,
    signal: drain.signal,
    suspendAfterMs: options.suspendAfterMs ?? 5_000,
    maxActiveMs: options.maxActiveMs ?? DAY_MS,
    maxParks: options.maxParks ?? 10_000,
    maxActive: options.maxActive ?? 200,
    parts,
  });
  const handler = createHandler(options, runWorkflow);
  const server = createServer(handler);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    // A server that dies in the middle is no error of ours.
    session.on("error", () => session.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new RestateError("misuse", `Cannot listen at ${host}:${port}: ${cause.message}`, { cause })),
    );
    server.listen({ host, port, reusePort: options.reusePort === true }, resolve);
  });
  // A server that listens at a port has such an address.
  const bound = server.address() as AddressInfo;
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;

  const url = `http://${name}:${bound.port}`;
  if (!isSigned(options) && !isLoopback(bound.address))
    onLog?.(
      "warn",
      `It takes requests at ${url} that no server has signed: give it the server's identityKeys, or let nobody but the server reach it`,
    );

  return {
    url,
    async close({ drainMs = DRAIN_MS } = {}) {
      drain.abort(new DOMException("The worker closes", "AbortError"));
      // The journal of these runs may be served by this very worker: it goes on until they have let go.
      await within(Promise.allSettled(parts.values()), drainMs);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await within(closed, 1_000);
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

type Handler = ReturnType<typeof restate.createEndpointHandler>;

function createHandler(options: WorkerOptions, runWorkflow: ReturnType<typeof createRunWorkflow>): Handler {
  const { onLog, identityKeys } = options;
  // Without keys the SDK warns of it as it is made, wherever it will listen: that is said where it is so.
  let isMade = isSigned(options);
  try {
    const handler = restate.createEndpointHandler({
      services: [journalObject, runWorkflow],
      logger: ({ level }, ...words) => {
        if (isMade) onLog?.(level, words.map(String).join(" "));
      },
      ...(identityKeys === undefined ? {} : { identityKeys: [...identityKeys] }),
    });
    isMade = true;
    return handler;
  } catch (cause) {
    throw new RestateError("misuse", `The worker cannot be made: ${messageOf(cause)}`, { cause });
  }
}

const isSigned = ({ identityKeys = [] }: WorkerOptions): boolean => identityKeys.length > 0;

const isLoopback = (address: string): boolean => address === "::1" || /^(?:::ffff:)?127\./.test(address);

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
