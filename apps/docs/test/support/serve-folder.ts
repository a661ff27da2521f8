import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface Served {
  /** With a slash at the end. */
  readonly url: string;
  readonly close: () => void;
}

/** A folder of plain files on loopback, as any host of them serves it. */
export async function serveFolder(folder: string): Promise<Served> {
  const server = createServer((request, response) => {
    void (async () => {
      const path = decodeURIComponent((request.url ?? "/").split(/[?#]/)[0] ?? "/");
      const wanted = join(folder, normalize(path));
      const file = (await isFolder(wanted)) ? join(wanted, "index.html") : wanted;
      try {
        const body = await readFile(file);
        response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" });
        response.end(body);
      } catch {
        response.writeHead(404).end();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
