import type { Agenda } from "./agenda.ts";
import type { Station } from "./station.ts";

/** What something that goes through the model waits for: a time, some work of a station, or a place of one. */
export type Wait =
  | number
  | { readonly kind: "serve"; readonly station: Station; readonly ms: number }
  | { readonly kind: "take"; readonly station: Station };

export type Process = Generator<Wait, void, void>;

export const serve = (station: Station, ms: number): Wait => ({ kind: "serve", station, ms });
export const take = (station: Station): Wait => ({ kind: "take", station });

/** Goes on with a process whenever what it waits for has come. */
export function start(agenda: Agenda, process: Process): void {
  const next = (): void => {
    for (;;) {
      const { done, value } = process.next();
      if (done === true) return;
      if (value === 0) continue;
      if (typeof value === "number") agenda.after(value, next);
      else if (value.kind === "serve") {
        if (value.ms === 0) continue;
        value.station.serve(value.ms, next);
      } else value.station.take(next);
      return;
    }
  };
  next();
}
