import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { Question, Reply } from "./question.ts";

/** Most bytes of a question. */
const MAX_QUESTION_BYTES = 64 * 1024;

export interface ApprovalServerOptions {
  readonly token: string;
  /** The person. `signal` aborts when nobody waits for the answer any more. */
  readonly answer: (question: Question, signal: AbortSignal) => Promise<Reply>;
}

export interface ApprovalServer extends AsyncDisposable {
  readonly url: string;
}

/** The other end: in life a phone or a chat, here a function that answers, behind a port of this machine alone. */
export async function openApprovalServer({ token, answer }: ApprovalServerOptions): Promise<ApprovalServer> {
  const server = createServer((request, response) => {
    const end = (status: number, body = ""): void => void response.writeHead(status).end(body);
    if (request.method !== "POST" || !bears(request, token)) return end(401);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    readBody(request)
      .then((body) => answer(JSON.parse(body) as Question, gone.signal))
      .then(
        (reply) => end(200, JSON.stringify(reply)),
        () => end(500),
      );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}/questions`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_QUESTION_BYTES) throw new Error("The question is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Compares digests, so that time says nothing about the token. */
function bears({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
}
