import {
  Client,
  StreamableHTTPClientTransport,
  type JsonSchemaType,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { compileSchema, formatSchemaErrors } from "@nestbox/tool";
import { foreignSchema } from "../foreign-schema.ts";
import { importMcpServer, type ImportedServer, type ImportOptions } from "../import-server.ts";
import { orAborted } from "../or-aborted.ts";

/** How a server is reached. */
export type McpEndpoint =
  | {
      readonly kind: "stdio";
      /** A fixed executable with its arguments; no shell reads it. */
      readonly command: string;
      readonly args?: readonly string[];
      /** Next to the few variables that the SDK hands on (PATH, HOME…), never the whole environment. */
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers?: Readonly<Record<string, string>> };

export type ConnectOptions = Omit<ImportOptions, "client"> & {
  readonly endpoint: McpEndpoint;
  /** Told when the connection has ended, by whichever side. */
  readonly onClose?: () => void;
};

export interface ConnectedServer extends ImportedServer, AsyncDisposable {
  /** Ends the connection, and the process of a stdio server. */
  close(): Promise<void>;
}

/** Connects an MCP server and imports its tools. Rejects when it cannot be reached or read. */
export async function connectMcpServer(options: ConnectOptions): Promise<ConnectedServer> {
  const client = new Client(
    { name: "nestbox", version: "1" },
    { versionNegotiation: { mode: "auto" }, jsonSchemaValidator: outputValidator },
  );
  // The SDK's client is no event target.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  if (options.onClose !== undefined) client.onclose = options.onClose;
  const requestOptions = options.signal === undefined ? {} : { signal: options.signal };
  try {
    await orAborted(options.signal, () => client.connect(transportOf(options.endpoint), requestOptions));
    const imported = await importMcpServer({ ...options, client });
    const close = (): Promise<void> => client.close();
    return { ...imported, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** The SDK's own would run the server's regular expressions over the server's text. */
const outputValidator: jsonSchemaValidator = {
  getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const checked = compileSchema(foreignSchema(schema) ?? {});
    return (input) => {
      const result = checked.check(input);
      // Whoever asks says what `T` is.
      return result.ok
        ? { valid: true, data: input as T, errorMessage: undefined }
        : { valid: false, data: undefined, errorMessage: formatSchemaErrors(result.errors) };
    };
  },
};

function transportOf(endpoint: McpEndpoint): Transport {
  if (endpoint.kind === "http") {
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: { ...endpoint.headers } },
    });
  }
  return new StdioClientTransport({
    command: endpoint.command,
    args: [...(endpoint.args ?? [])],
    // A server's log is not the host's output.
    stderr: "ignore",
    ...(endpoint.env === undefined ? {} : { env: { ...endpoint.env } }),
    ...(endpoint.cwd === undefined ? {} : { cwd: endpoint.cwd }),
  });
}
