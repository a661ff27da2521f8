import type { ServerResponse } from "node:http";

import type { PageMessage } from "../model/patch.ts";
import type { Feed } from "./feed.ts";

/** Pages that look at one server at a time. */
const MAX_PAGES = 16;
/** Bytes that wait for a page that does not read; beyond it the page is told all anew once it does. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;

/** Tells every page of what changed in what it shows. */
export interface Broadcast {
  /** Takes over a response as an event stream about `what`: a run of a fleet, or all that there is. */
  add(response: ServerResponse, what?: string): "added" | "full" | "unknown";
  close(): void;
}

interface Page {
  readonly response: ServerResponse;
  /** It has missed something. */
  behind: boolean;
}

/** Pages that show the same thing. */
interface Channel {
  readonly pages: Set<Page>;
  add(page: Page): void;
  close(): void;
}

/** `feedOf`: what there is to tell; undefined where there is nothing of this name. */
export function createBroadcast(feedOf: (what: string | undefined) => Feed | undefined): Broadcast {
  const channels = new Map<string | undefined, Channel>();
  const count = (): number => [...channels.values()].reduce((sum, { pages }) => sum + pages.size, 0);
  return {
    add(response, what) {
      if (count() >= MAX_PAGES) return "full";
      let channel = channels.get(what);
      if (channel === undefined) {
        const feed = feedOf(what);
        if (feed === undefined) return "unknown";
        channel = openChannel(feed, () => channels.delete(what));
        channels.set(what, channel);
      }
      response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
      // Whoever is told nothing yet is told that it is heard.
      response.write(": here\n\n");
      channel.add({ response, behind: false });
      return "added";
    },
    close() {
      for (const channel of channels.values()) channel.close();
    },
  };
}

/** Lives as long as it has pages. */
function openChannel(feed: Feed, onEmpty: () => void): Channel {
  const pages = new Set<Page>();
  const send = (page: Page, messages: readonly PageMessage[]): void => {
    for (const message of messages) {
      if (page.response.writableLength > MAX_WAITING_BYTES) {
        page.behind = true;
        return;
      }
      page.response.write(`data: ${JSON.stringify(message)}\n\n`);
    }
  };
  const sendAll = (page: Page): void => {
    page.behind = false;
    send(page, feed.all());
  };
  const unsubscribe = feed.subscribe(() => {
    const news = feed.news();
    for (const page of pages) {
      if (news === undefined) sendAll(page);
      else if (!page.behind) send(page, news);
    }
  });
  const heartbeat = setInterval(() => {
    for (const page of pages) if (!page.behind) page.response.write(": still here\n\n");
  }, HEARTBEAT_MS);
  const stop = (): void => {
    unsubscribe();
    clearInterval(heartbeat);
    onEmpty();
  };
  return {
    pages,
    add(page) {
      pages.add(page);
      sendAll(page);
      page.response.on("drain", () => {
        if (page.behind) sendAll(page);
      });
      page.response.on("close", () => {
        if (pages.delete(page) && pages.size === 0) stop();
      });
    },
    close() {
      const open = [...pages];
      pages.clear();
      stop();
      for (const { response } of open) response.end();
    },
  };
}
