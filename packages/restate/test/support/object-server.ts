import { journalObject } from "../../src/node/journal-object.ts";

export interface ObjectServer {
  readonly fetch: typeof fetch;
  /** Requests that were answered, as `handler`. */
  readonly calls: readonly string[];
  /** Awakeables that were resolved. */
  readonly resolved: readonly string[];
  /** State of a run's object. */
  state(runId: string): ReadonlyMap<string, unknown>;
  /** Says what becomes of the next requests: `lost` is not done, `unheard` is done and not answered. */
  fail(...next: readonly ("lost" | "unheard" | number)[]): void;
}

type Handler = (ctx: unknown, input: unknown) => Promise<unknown>;

/**
 * The journal's object without a server: its own handlers, one after the other for each run, over a map that is
 * changed all at once. State goes through JSON, as it does on its way to a server.
 */
export function objectServer(): ObjectServer {
  // The handlers are functions of a context; the definition's type hides them.
  const { object } = journalObject as unknown as { object: Readonly<Record<string, Handler>> };
  const states = new Map<string, Map<string, unknown>>();
  const queues = new Map<string, Promise<unknown>>();
  const calls: string[] = [];
  const resolved: string[] = [];
  const failures: ("lost" | "unheard" | number)[] = [];

  const stateOf = (runId: string): Map<string, unknown> => {
    const state = states.get(runId) ?? new Map<string, unknown>();
    states.set(runId, state);
    return state;
  };

  async function handle(runId: string, name: string, input: unknown): Promise<Response> {
    const draft = new Map(stateOf(runId));
    const handler = object[name];
    if (handler === undefined) return Response.json({ message: `no handler ${name}` }, { status: 404 });
    const context = {
      key: runId,
      get: (key: string) => Promise.resolve(draft.get(key) ?? null),
      set: (key: string, value: unknown) => draft.set(key, JSON.parse(JSON.stringify(value))),
      clear: (key: string) => draft.delete(key),
      clearAll: () => draft.clear(),
      stateKeys: () => Promise.resolve([...draft.keys()]),
      resolveAwakeable: (id: string) => resolved.push(id),
    };
    try {
      const answer = await handler(context, input);
      states.set(runId, draft);
      calls.push(name);
      return answer === undefined ? new Response() : Response.json(answer);
    } catch (error) {
      return Response.json({ message: (error as Error).message }, { status: 422 });
    }
  }

  return {
    calls,
    resolved,
    state: stateOf,
    fail: (...next) => void failures.push(...next),
    async fetch(address, init) {
      const [, , run = "", name = ""] = new URL(address as string).pathname.split("/");
      const runId = decodeURIComponent(run);
      const failure = failures.shift();
      if (failure === "lost") throw new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") });
      if (typeof failure === "number") return Response.json({ message: "busy" }, { status: failure });
      const body: unknown = JSON.parse((init?.body as string | undefined) ?? "null");
      const before = queues.get(runId) ?? Promise.resolve();
      const answer = before.then(() => handle(runId, name, body));
      queues.set(runId, answer);
      const response = await answer;
      if (failure === "unheard") throw new TypeError("fetch failed", { cause: new Error("ECONNRESET") });
      return response;
    },
  };
}
