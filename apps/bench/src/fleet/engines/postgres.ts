/**
 * The PostgreSQL of a measurement, with 200 connections and otherwise the settings that it comes with, which tells
 * who asked it what.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPostgres, PASSWORD, startPostgres } from "@nestbox/servers";
import type { Household } from "../household.ts";

export interface Cluster {
  readonly pid: number;
  /** For a role: what workers send and what the one who measures sends is counted apart. */
  readonly url: (role: Role, database: string) => string;
  readonly create: (database: string) => void;
  readonly countsStatements: boolean;
}

export type Role = "worker" | "client";

export async function startCluster(household: Household): Promise<Cluster> {
  const countsStatements = existsSync(join(libraries(), "pg_stat_statements.so"));
  const { pid, sql, url } = await startPostgres({
    folder: household.folder("postgres"),
    spawn: (program, args, options) => household.spawn(program, args, options),
    user: "client",
    settings: [
      "max_connections=200",
      ...(countsStatements ? ["shared_preload_libraries=pg_stat_statements"] : []),
    ],
  });
  sql("postgres", `CREATE ROLE worker SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
  return {
    pid,
    url: (role, database) => url(database, role),
    countsStatements,
    create(database) {
      sql("postgres", `CREATE DATABASE ${database} OWNER worker`);
      if (countsStatements) sql(database, "CREATE EXTENSION pg_stat_statements");
    },
  };
}

function libraries(): string {
  const programs = findPostgres() ?? "";
  try {
    return execFileSync(join(programs, "pg_config"), ["--pkglibdir"], { encoding: "utf8" }).trim();
  } catch {
    return join(programs, "../lib");
  }
}
