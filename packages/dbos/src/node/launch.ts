/**
 * The lock under which a worker launches DBOS, which makes and changes its tables then: whoever looks for it knows that
 * they are not whole yet.
 */
import type { Database } from "./database.ts";

export const LAUNCH = "SELECT pg_try_advisory_lock(hashtextextended('nestbox launch', 0)) AS taken";
export const LAUNCHED = "SELECT pg_advisory_unlock(hashtextextended('nestbox launch', 0))";
/** A lock of one number stands there as its two halves. */
const LAUNCHING = `SELECT EXISTS (
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = hashtextextended('nestbox launch', 0)
) AS launching`;

/** Whether some worker is making or changing DBOS's tables now. */
export async function isLaunching(database: Pick<Database, "query">): Promise<boolean> {
  const rows = await database.query(LAUNCHING);
  return rows[0]?.["launching"] === true;
}
