/** What is used of a context to tell a person something. */
export interface PersonUi {
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, type?: "info" | "warning" | "error"): void };
}

/** Tells a person, in print mode and wherever else no UI is on standard error: standard output may be a protocol. */
export function tellPerson(
  context: PersonUi,
  message: string,
  type: "info" | "warning" | "error" = "info",
): void {
  if (context.hasUI) context.ui.notify(message, type);
  else console.error(message);
}
