/** Which engine the commands of the fleet talk to, from the config file and the environment. */
import { CONFIG_FILE, loadConfig } from "../config/load-config.ts";
import { UsageError } from "../usage-error.ts";

/** Where the address of the database is better kept than in a file: it has a password. */
export const DATABASE_VARIABLE = "NESTBOX_DATABASE_URL";

interface WorkerSettings {
  readonly concurrency?: number;
  readonly deployment?: string;
  readonly host?: string;
  readonly port?: number;
  readonly advertise?: string;
  /** Public keys of Restate's server. */
  readonly identityKeys?: readonly string[];
  /** `host:port` of the worker's health server. */
  readonly health?: string;
}

export type FleetConfig = WorkerSettings &
  (
    | { readonly engine: "dbos"; readonly databaseUrl: string }
    | {
        readonly engine: "restate";
        readonly ingressUrl: string;
        readonly adminUrl: string;
        /** A folder, absolute. */
        readonly blobs: string;
      }
  );

/**
 * Where the people's decisions and the runs go is as much power as a program: a config file that merely lies in the
 * folder does not say it. Throws `UsageError`.
 */
export function fleetConfig(
  options: { readonly config?: string },
  start: string,
  env: Readonly<Record<string, string | undefined>>,
): FleetConfig {
  const { config, named } = loadConfig(options.config, start);
  const fromEnvironment = env[DATABASE_VARIABLE] || undefined;
  const found = config.fleet;
  if (found !== undefined && !named && fromEnvironment === undefined)
    throw new UsageError(
      `${CONFIG_FILE} says where the fleet is, and with that who gets your scripts and decisions. Where you trust it, say so: --config ${CONFIG_FILE}`,
    );
  const section = named ? found : undefined;
  const file = options.config ?? CONFIG_FILE;
  if (section === undefined) {
    if (fromEnvironment !== undefined)
      return { engine: "dbos", databaseUrl: databaseUrl(fromEnvironment, DATABASE_VARIABLE) };
    throw new UsageError(
      named
        ? `Config ${file} has no section "fleet". It says which engine there is: { "fleet": { "engine": "dbos", "databaseUrl": "postgresql://…" } }`
        : `No fleet is named. Set ${DATABASE_VARIABLE}, or name a config file with a section "fleet": --config ${CONFIG_FILE}`,
    );
  }
  const { engine, databaseUrl: url, ingressUrl, adminUrl, blobs, ...settings } = section;
  if (engine === "dbos") {
    const { identityKeys } = settings;
    for (const [name, value] of Object.entries({ ingressUrl, adminUrl, blobs, identityKeys }))
      if (value !== undefined) throw new UsageError(`Config ${file}: fleet.${name} is of the engine restate`);
    const given = fromEnvironment ?? url;
    if (given === undefined)
      throw new UsageError(
        `Config ${file}: fleet.databaseUrl is missing. It is better given by the environment: ${DATABASE_VARIABLE}=postgresql://…`,
      );
    return {
      ...settings,
      engine,
      databaseUrl: databaseUrl(
        given,
        fromEnvironment === undefined ? `fleet.databaseUrl of ${file}` : DATABASE_VARIABLE,
      ),
    };
  }
  if (url !== undefined) throw new UsageError(`Config ${file}: fleet.databaseUrl is of the engine dbos`);
  if (ingressUrl === undefined || adminUrl === undefined || blobs === undefined)
    throw new UsageError(
      `Config ${file}: the engine restate needs fleet.ingressUrl, fleet.adminUrl and fleet.blobs (a folder that every worker sees)`,
    );
  return {
    ...settings,
    engine,
    ingressUrl: webUrl(ingressUrl, "fleet.ingressUrl"),
    adminUrl: webUrl(adminUrl, "fleet.adminUrl"),
    blobs,
  };
}

function databaseUrl(text: string, name: string): string {
  if (/^postgres(?:ql)?:\/\//.test(text) && URL.canParse(text)) return text;
  // Never repeated: it may hold a password.
  throw new UsageError(`${name} is no address of a database: postgresql://user:password@host:5432/database`);
}

function webUrl(text: string, name: string): string {
  const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  // Requests are not made to such addresses, and whoever reads a message would read them.
  if (url === undefined || url.username !== "" || url.password !== "")
    throw new UsageError(`${name} is no address, without a user in it: http://host:port`);
  return text;
}
