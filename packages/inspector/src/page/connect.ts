import { batch } from "@preact/signals";

import type { PageData } from "../html.ts";
import type { PageMessage } from "../model/patch.ts";
import type { CallStatus } from "../model/run.ts";
import { beginFleet, takeFleet } from "./fleet-state.ts";
import { activeKey, compareWith, connection, forgetRuns, run, runs, take } from "./state.ts";

/** Takes the runs that the page carries, or asks the server that sent it and goes on listening. */
export function connect(json: string): void {
  // Written by the program that wrote the page.
  const data = JSON.parse(json) as PageData;
  if (data.mode === "file") {
    runs.value = data.runs;
    begin();
  } else if (data.mode === "live") listen(undefined);
  else {
    let stop: (() => void) | undefined;
    let before: string | undefined | null = null;
    beginFleet((place) => {
      const id = place.kind === "run" ? place.id : undefined;
      if (id === before) return;
      before = id;
      stop?.();
      batch(() => {
        forgetRuns();
        stop = listen(id);
      });
    });
  }
}

/** News of one run of a fleet, or of all that there is. */
function listen(id: string | undefined): () => void {
  connection.value = "connecting";
  const address = new URL("events", location.href.split("#")[0]);
  if (id !== undefined) address.searchParams.set("run", id);
  const events = new EventSource(address);
  events.addEventListener("message", ({ data: text }: MessageEvent<string>) => {
    const message = JSON.parse(text) as PageMessage;
    const first = runs.value.length === 0;
    batch(() => {
      if (message.kind === "fleet" || message.kind === "fleet-patch") takeFleet(message);
      else take(message);
      connection.value = "live";
      if (first && runs.value.length > 0) begin();
    });
  });
  events.addEventListener("error", () => {
    // An answer that is no stream ends it: there is no such run.
    connection.value = events.readyState === EventSource.CLOSED && id !== undefined ? "unknown" : "lost";
  });
  return () => events.close();
}

function begin(): void {
  // What a person is asked about comes before all else, and then where it is halted.
  const { calls } = run.value;
  const first = (wanted: CallStatus) => calls.find(({ status }) => status === wanted);
  activeKey.value = (first("waiting") ?? first("halted") ?? calls[0])?.key;
  if (location.hash === "#compare" && runs.value.length > 1) compareWith(1);
}
