import { printing } from "./state.ts";

/** On paper there is nothing to scroll: what is bounded on the screen is laid out whole, up to a limit. */
export function followPrinting(): void {
  addEventListener("beforeprint", () => (printing.value = true));
  addEventListener("afterprint", () => (printing.value = false));
  const media = matchMedia("print");
  printing.value = media.matches;
  media.addEventListener("change", ({ matches }) => (printing.value = matches));
}
