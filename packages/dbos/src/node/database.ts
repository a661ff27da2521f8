/**
 * Connections to PostgreSQL that survive its restart. A statement or transaction that failed because the database was
 * away, or took no writes, is tried again, whole: each of them must be so that a second time changes nothing.
 */
import type { DurableClock } from "@nestbox/codemode/durable";
import { type ClientBase, Pool } from "pg";
import { DbosError, messageOf } from "../errors.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Database {
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Without waiting for a database that is away. */
  once(text: string): Promise<readonly Row[]>;
  transaction<T>(work: (client: ClientBase) => Promise<T>): Promise<T>;
  readonly pool: Pool;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly databaseUrl: string;
  readonly connections: number;
  /** How long a database that does not answer is waited for. */
  readonly unavailableMs: number;
  readonly clock: DurableClock;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const CONNECT_MS = 10_000;

export function openDatabase(options: DatabaseOptions): Database {
  const { databaseUrl, connections, unavailableMs, clock } = options;
  const pool = new Pool({
    connectionString: databaseUrl,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "nestbox",
  });
  // A connection that dies while nobody uses it is no error of ours: the next one who asks gets another.
  pool.on("error", () => undefined);

  async function patiently<T>(work: () => Promise<T>, waitMs = unavailableMs): Promise<T> {
    const until = clock.now() + waitMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof DbosError) throw error;
        if (!isAway(error))
          throw new DbosError("refused", `The database refused: ${messageOf(error)}`, { cause: error });
        if (clock.now() + pause > until) {
          const what = takesNoWrites(error) ? "takes no writes" : "does not answer";
          throw new DbosError("unreachable", `The database ${what}: ${messageOf(error)}`, { cause: error });
        }
      }
      await new Promise<void>((resolve) => clock.after(pause, resolve));
    }
  }

  return {
    pool,
    query: (text, values = []) =>
      patiently(async () => (await pool.query<Record<string, unknown>>(text, [...values])).rows),
    once: (text) => patiently(async () => (await pool.query<Record<string, unknown>>(text)).rows, 0),
    transaction: (work) =>
      patiently(async () => {
        const client = await pool.connect();
        // A connection that dies within a transaction tells its query, and must not end the process besides.
        const onError = (): void => undefined;
        client.on("error", onError);
        let broken: Error | undefined;
        try {
          await client.query("BEGIN");
          const result = await work(client);
          await client.query("COMMIT");
          return result;
        } catch (error) {
          await client.query("ROLLBACK").catch((cause: unknown) => {
            broken = cause instanceof Error ? cause : new Error(String(cause));
          });
          // Another connection may lead to the server that takes them now.
          if (takesNoWrites(error) && error instanceof Error) broken = error;
          throw error;
        } finally {
          client.off("error", onError);
          client.release(broken);
        }
      }),
    close: () => pool.end(),
  };
}

/** As DBOS bounds it where it makes the connections itself. */
const IDLE_TRANSACTION_MS = 60_000;

/**
 * DBOS's own connections in a worker. It would set how long a transaction may stand still beside the first statement of
 * each, which the driver warns of and will refuse one day; here it is set before the connection is handed out.
 */
export function openDbosPool(databaseUrl: string, onLog: (level: string, message: string) => void): Pool {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: DBOS_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "nestbox dbos",
    onConnect: async (client) => {
      await client.query(`SET idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`);
    },
  });
  pool.on("error", (error) => onLog("warn", `A connection of DBOS's to the database: ${error.message}`));
  return pool;
}

const DBOS_CONNECTIONS = 10;

/** Of the system; `ENOENT` is a socket file that is not there while the server is away. */
const SYSTEM = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
]);
/**
 * Of PostgreSQL: it starts or stops, has no connection left, two transactions were in each other's way, or it has cut
 * one off that took too long.
 */
const SERVER = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "57014",
  "53300",
  "53400",
  "40001",
  "40P01",
  "55P03",
  "25P03",
  "25P04",
]);
/** Of PostgreSQL: it is read-only after a failover or by an administrator's hand, has no space, no memory, no disk. */
const NO_WRITES = new Set(["25006", "53000", "53100", "53200", "58000", "58030"]);

/** A failure that another attempt may not have. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string")
    return SYSTEM.has(code) || SERVER.has(code) || NO_WRITES.has(code) || code.startsWith("08");
  // The driver's own, which have no code.
  return /connection (terminated|ended|timeout)|connection error|timeout exceeded|not queryable/i.test(
    error.message,
  );
}

/** It answers, and keeps nothing for now. */
function takesNoWrites(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && NO_WRITES.has(error.code)
  );
}
