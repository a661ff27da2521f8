import type { ServerResponse } from "node:http";

import { type PageMessage, patchOf } from "../model/patch.ts";
import type { Run } from "../model/run.ts";
import type { RunSource } from "./trace-files.ts";

/** Pages that look at one server at a time. */
const MAX_PAGES = 16;
/** Bytes that wait for a page that does not read; beyond it the page is told all anew once it does. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;

/** Tells every page of what changed. */
export interface Broadcast {
  /** Takes over a response as an event stream; false when there are too many. */
  add(response: ServerResponse): boolean;
  close(): void;
}

interface Page {
  readonly response: ServerResponse;
  /** It has missed something. */
  behind: boolean;
}

export function createBroadcast(source: RunSource): Broadcast {
  const pages = new Set<Page>();
  let known: readonly Run[] = [];
  let unsubscribe: (() => void) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const send = (page: Page, message: PageMessage): void => {
    if (page.response.writableLength > MAX_WAITING_BYTES) {
      page.behind = true;
      return;
    }
    page.response.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  const sendAll = (page: Page): void => {
    page.behind = false;
    send(page, { kind: "runs", runs: known });
  };
  const tell = (): void => {
    const now = source.runs();
    const before = known;
    known = now;
    for (const [index, run] of now.entries()) {
      const old = before[index];
      const patch = old === undefined ? "anew" : old === run ? "same" : patchOf(index, old, run);
      if (patch === "same") continue;
      for (const page of pages) {
        if (patch === "anew") sendAll(page);
        else if (!page.behind) send(page, { kind: "patch", patch });
      }
    }
  };
  const stop = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    clearInterval(heartbeat);
  };

  return {
    add(response) {
      if (pages.size >= MAX_PAGES) return false;
      if (pages.size === 0) {
        known = source.runs();
        unsubscribe = source.subscribe(tell);
        heartbeat = setInterval(() => {
          for (const page of pages) if (!page.behind) page.response.write(": still here\n\n");
        }, HEARTBEAT_MS);
      }
      const page: Page = { response, behind: false };
      pages.add(page);
      response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
      sendAll(page);
      response.on("drain", () => {
        if (page.behind) sendAll(page);
      });
      response.on("close", () => {
        pages.delete(page);
        if (pages.size === 0) stop();
      });
      return true;
    },
    close() {
      stop();
      for (const { response } of pages) response.end();
      pages.clear();
    },
  };
}
