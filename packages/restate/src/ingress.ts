import type { DurableClock } from "@nestbox/codemode/durable";
import { messageOf, RestateError } from "./errors.ts";
import { isRecord } from "./guards.ts";

export interface IngressOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly clock: DurableClock;
  readonly headers: Readonly<Record<string, string>>;
  readonly unavailableMs: number;
}

/** Sends one request until it is answered: all that is sent here may be sent twice. */
export interface Ingress {
  readonly call: (path: string, body: unknown, options?: CallOptions) => Promise<unknown>;
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PATCH";
  readonly signal?: AbortSignal | undefined;
  /** Waits as long as it takes. */
  readonly patient?: boolean;
}

const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 1_000;
/** Told by the server or what stands before it, and over sooner or later. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

export function createIngress(options: IngressOptions): Ingress {
  const { fetch: send, clock, headers, unavailableMs } = options;
  const base = options.url.replace(/\/+$/, "");

  async function once(path: string, body: unknown, call: CallOptions, left: number): Promise<Answer> {
    const signals: AbortSignal[] = call.signal === undefined ? [] : [call.signal];
    if (call.patient !== true) signals.push(AbortSignal.timeout(Math.max(1, left)));
    const response = await send(`${base}${path}`, {
      method: call.method ?? "POST",
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any(signals),
    });
    return { status: response.status, text: await response.text() };
  }

  return {
    async call(path, body, call = {}) {
      const until = clock.now() + unavailableMs;
      for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, MAX_DELAY_MS)) {
        let why: string;
        try {
          const answer = await once(path, body, call, until - clock.now());
          if (answer.status >= 200 && answer.status < 300) return parse(answer.text);
          const told = textOf(answer);
          if (!PASSING.has(answer.status))
            throw new RestateError("refused", `The server has refused it (${answer.status}): ${told}`);
          why = told;
        } catch (error) {
          if (error instanceof RestateError) throw error;
          call.signal?.throwIfAborted();
          why = causeOf(error);
        }
        const now = clock.now();
        if (call.patient !== true && now + delay >= until) {
          const message = `The server at ${base} has not answered within ${unavailableMs} ms: ${why}`;
          throw new RestateError("unreachable", message);
        }
        await sleep(delay, clock, call.signal);
      }
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RestateError("journal", "The server's answer is no JSON", { cause });
  }
}

function textOf({ text }: Answer): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed) && typeof parsed["message"] === "string") return parsed["message"].slice(0, 500);
  } catch {
    // Told as it is.
  }
  return text.slice(0, 500);
}

/** `fetch` keeps the reason in the cause. */
function causeOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
}

function sleep(ms: number, clock: DurableClock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    const stop = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
