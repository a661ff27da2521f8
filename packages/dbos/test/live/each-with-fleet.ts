import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type Cluster, startCluster } from "./cluster.ts";
import { type Fleet, openFleet } from "./fleet.ts";

/** For all tests of a file one PostgreSQL, and for each of them a fleet over a database of its own in it. */
export function eachWithFleet(name: string, give: (fleet: Fleet, cluster: Cluster) => void): void {
  let cluster: Cluster | undefined;
  let fleet: Fleet | undefined;
  let count = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(async () => {
    if (cluster === undefined) throw new Error("There is no cluster");
    fleet = await openFleet(cluster, `${name}_${++count}`);
    give(fleet, cluster);
  });
  afterEach(async () => {
    await fleet?.close();
    fleet = undefined;
  });
  afterAll(async () => {
    await cluster?.close();
  });
}
