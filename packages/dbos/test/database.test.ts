import { createServer } from "node:net";
import { durableClock } from "@nestbox/codemode/durable";
import { expect, test } from "vitest";
import { isAway, openDatabase } from "../src/node/database.ts";

const failure = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

test("what passes by itself is told from what does not", () => {
  for (const code of ["ECONNREFUSED", "ECONNRESET", "57P01", "57P03", "08006", "40001", "40P01", "53300"])
    expect(isAway(failure("x", code))).toBe(true);
  // Read-only after a failover, no space, no memory, no disk.
  for (const code of ["25006", "53100", "53200", "58030", "57014", "55P03"])
    expect(isAway(failure("x", code))).toBe(true);
  for (const code of ["42P01", "23505", "28P01", "3D000", "22P02", "42501"])
    expect(isAway(failure("connection", code))).toBe(false);
  expect(isAway(failure("Connection terminated unexpectedly"))).toBe(true);
  expect(isAway(failure("Client has encountered a connection error and is not queryable"))).toBe(true);
  expect(isAway(failure("Cannot read properties of undefined"))).toBe(false);
  expect(isAway("ECONNREFUSED")).toBe(false);
});

test("a database that is away is asked again, and then told as unreachable", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));

  let now = 0;
  const pauses: number[] = [];
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      pauses.push(ms);
      now += ms;
      return durableClock.after(0, run);
    },
  };
  const databaseUrl = `postgresql://nobody:nothing@127.0.0.1:${port}/none`;
  const database = openDatabase({ databaseUrl, connections: 1, unavailableMs: 1_000, clock });
  await expect(database.query("SELECT 1")).rejects.toMatchObject({ code: "unreachable" });
  await expect(database.transaction(() => Promise.resolve(1))).rejects.toMatchObject({ code: "unreachable" });
  expect(pauses.slice(0, 4)).toEqual([50, 100, 200, 400]);
  pauses.length = 0;
  await expect(database.once("SELECT 1")).rejects.toMatchObject({ code: "unreachable" });
  expect(pauses).toEqual([]);
  await database.close();
});
