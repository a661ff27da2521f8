import type { ExtensionContext } from "@earendil-works/pi-coding-agent";

/** Says something to a person, or to standard error where there is none: standard output may be a protocol. */
export function tell(
  context: Pick<ExtensionContext, "hasUI" | "ui">,
  message: string,
  type: "info" | "warning" | "error" = "info",
): void {
  if (context.hasUI) context.ui.notify(message, type);
  else console.error(message);
}
