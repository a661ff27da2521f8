import type { PageData } from "../html.ts";
import type { PageMessage } from "../model/patch.ts";
import { activeKey, compareWith, connection, run, runs, take } from "./state.ts";

/** Takes the runs that the page carries, or asks the server that sent it and goes on listening. */
export function connect(json: string): void {
  // Written by the program that wrote the page.
  const data = JSON.parse(json) as PageData;
  if (data.mode === "file") {
    runs.value = data.runs;
    begin();
    return;
  }
  connection.value = "connecting";
  const events = new EventSource(new URL("events", location.href));
  events.addEventListener("message", ({ data: text }: MessageEvent<string>) => {
    const first = runs.value.length === 0;
    take(JSON.parse(text) as PageMessage);
    connection.value = "live";
    if (first) begin();
  });
  events.addEventListener("error", () => (connection.value = "lost"));
}

function begin(): void {
  activeKey.value = run.value.calls[0]?.key;
  if (location.hash === "#compare" && runs.value.length > 1) compareWith(1);
}
