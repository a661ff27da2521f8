/** Defaults of `nestbox run`, `mcp`, `check` and of reading the tools; the command line has the last word. */
export interface Config {
  readonly tools?: readonly string[];
  readonly extension?: readonly string[];
  readonly policy?: readonly string[];
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly node?: string;
  readonly fleet?: FleetSection;
}

/** Where the fleet is, and how a worker of it is run. */
export interface FleetSection {
  readonly engine: "dbos" | "restate";
  readonly databaseUrl?: string;
  readonly ingressUrl?: string;
  readonly adminUrl?: string;
  readonly blobs?: string;
  readonly concurrency?: number;
  readonly deployment?: string;
  readonly host?: string;
  readonly port?: number;
  readonly advertise?: string;
  readonly identityKeys?: readonly string[];
  readonly health?: string;
}

const text = (description: string) => ({ type: "string", minLength: 1, description });

const files = (description: string) => ({
  type: "array",
  items: { type: "string", minLength: 1 },
  maxItems: 100,
  description,
});

/** JSON Schema of {@link Config}; `nestbox.config.schema.json` says the same for editors. */
export const configSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "nestbox.config.jsonc",
  description: "Defaults of the nestbox command line. Paths are relative to this file.",
  type: "object",
  additionalProperties: false,
  properties: {
    $schema: { type: "string" },
    tools: files(
      "Modules of tools, instead of the review tools. They have all of your rights, so they count only where the file is named with --config.",
    ),
    extension: files(
      "Extensions of Pi, whose tools come on top. They have all of your rights, so they count only where the file is named with --config.",
    ),
    policy: files(
      "Policy files. They count as the project's, which can only tighten, unless the file is named with --config.",
    ),
    timeoutMs: {
      type: "integer",
      minimum: 1,
      description: "Wall time of a script, without the time a person is asked.",
    },
    memoryMb: {
      type: "integer",
      minimum: 1,
      description:
        "Memory of a script's isolate. More than the 256 of every script counts only where the file is named with --config.",
    },
    node: {
      type: "string",
      minLength: 1,
      description:
        "The Node 24 or 26 that runs the sandbox. A program that is started, so it counts only where the file is named with --config.",
    },
    fleet: {
      type: "object",
      additionalProperties: false,
      required: ["engine"],
      description:
        "The durable engine of submit, status, approve, cancel, logs and worker. It gets scripts and decisions, so it counts only where the file is named with --config.",
      properties: {
        engine: { enum: ["dbos", "restate"], description: "Its package is installed beside nestbox." },
        databaseUrl: text(
          "Of dbos: the PostgreSQL database. With a password it is better given by the environment, as NESTBOX_DATABASE_URL, which goes before.",
        ),
        ingressUrl: text("Of restate: the server's ingress, http://host:8080."),
        adminUrl: text("Of restate: the server's admin API, http://host:9070."),
        blobs: text("Of restate: a folder for large values that every worker and every client sees."),
        concurrency: { type: "integer", minimum: 1, description: "Of a worker: parts of runs at a time." },
        deployment: text("Of a worker, dbos: runs stay with the deployment that began them."),
        host: text(
          "Of a worker, restate: the address at which it listens for the server. Default 127.0.0.1.",
        ),
        port: {
          type: "integer",
          minimum: 0,
          maximum: 65535,
          description: "Of a worker, restate: its port; 0, the default, lets the system choose.",
        },
        advertise: text("Of a worker, restate: the address at which the server reaches it."),
        identityKeys: {
          type: "array",
          items: { type: "string", minLength: 1 },
          minItems: 1,
          maxItems: 100,
          description:
            "Of a worker, restate: public keys of the server; what it has not signed with one of them is refused.",
        },
        health: text("Of a worker: host:port of its health and metrics. Without it there is none."),
      },
    },
  },
} as const;
