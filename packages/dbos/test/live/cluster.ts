/** What the live tests of this package call a PostgreSQL of their own. */
export { type PostgresServer as Cluster, startPostgres as startCluster } from "@nestbox/servers";

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
