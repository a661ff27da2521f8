import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";

import type { PageMessage } from "../../src/model/patch.ts";
import { createBroadcast } from "../../src/node/broadcast.ts";

const trouble = (message: string): PageMessage => ({ kind: "trouble", message });

/** A page that reads nothing while `writableLength` says so. */
class SlowPage extends EventEmitter {
  writableLength = 0;
  readonly told: string[] = [];

  writeHead(): void {
    // Of no interest here.
  }

  write(text: string): void {
    if (text.startsWith("data: ")) this.told.push((JSON.parse(text.slice(6)) as { message: string }).message);
  }

  end(): void {
    this.emit("close");
  }
}

it("tells a page that did not read all anew once it does, and nothing in between", () => {
  let all = "0";
  let changed = (): void => undefined;
  const broadcast = createBroadcast(() => ({
    all: () => [trouble(`all ${all}`)],
    news: () => [trouble(`news ${all}`)],
    subscribe(listener) {
      changed = listener;
      return () => undefined;
    },
  }));
  const page = new SlowPage();
  // As much of a response as is used.
  expect(broadcast.add(page as unknown as ServerResponse)).toBe("added");
  const change = (to: string): void => {
    all = to;
    changed();
  };
  change("1");
  page.writableLength = 9 * 1024 * 1024;
  change("2");
  change("3");
  page.writableLength = 0;
  change("4");
  expect(page.told).toEqual(["all 0", "news 1"]);
  page.emit("drain");
  page.emit("drain");
  change("5");
  expect(page.told).toEqual(["all 0", "news 1", "all 4", "news 5"]);
  broadcast.close();
});
