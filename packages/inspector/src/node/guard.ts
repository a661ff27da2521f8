import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What the server does with a request. */
export type Admission =
  | { readonly kind: "page" }
  /** `run`: of this one alone. It comes from an address and may be anything. */
  | { readonly kind: "events"; readonly run?: string }
  | { readonly kind: "refused"; readonly status: 403 | 404 | 405; readonly message: string };

export interface GuardOptions {
  readonly port: number;
  readonly token: string;
}

/** Decides about a request by its head alone. What is asked for is compared, never looked up: there is no file behind it. */
export function admit(
  request: Pick<IncomingMessage, "method" | "url" | "headers">,
  { port, token }: GuardOptions,
): Admission {
  const { host, origin } = request.headers;
  // Another name that leads here is a page elsewhere that had its own name point to this machine.
  if (host === undefined || !namesOf(port).includes(host.toLowerCase()))
    return { kind: "refused", status: 403, message: "This server answers for 127.0.0.1 alone." };
  if (origin !== undefined && !namesOf(port).some((name) => origin === `http://${name}`))
    return { kind: "refused", status: 403, message: "Another page may not ask this one." };
  if (request.headers["sec-fetch-site"] === "cross-site" && request.headers["sec-fetch-mode"] !== "navigate")
    return { kind: "refused", status: 403, message: "Another page may not ask this one." };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { kind: "refused", status: 405, message: "This server only shows." };
  const [path = "", query = ""] = (request.url ?? "").split("?", 2);
  const [, given = "", ...rest] = path.split("/");
  const known = equal(given, token);
  const place = rest.join("/");
  if (known && rest.length === 1 && place === "") return { kind: "page" };
  if (known && place === "events") {
    const run = new URLSearchParams(query).get("run");
    return { kind: "events", ...(run === null ? {} : { run }) };
  }
  return { kind: "refused", status: 404, message: "Open the address that was printed, whole." };
}

function namesOf(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** In a time that tells nothing of either. */
function equal(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
