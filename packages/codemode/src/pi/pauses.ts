import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { PauseSource } from "@nestbox/tool";

/**
 * Tells scripts when a person is being asked, whoever asks: Pi says so to every extension. Prompts can overlap, so
 * clocks run again only when the last one has been answered.
 */
export function createPromptPauses(pi: Pick<ExtensionAPI, "on">): PauseSource {
  const listeners = new Set<(paused: boolean) => void>();
  let open = 0;
  const tell = (paused: boolean): void => {
    for (const listener of listeners) listener(paused);
  };
  pi.on("ui_prompt_start", () => {
    open++;
    if (open === 1) tell(true);
  });
  pi.on("ui_prompt_end", () => {
    if (open === 0) return;
    open--;
    if (open === 0) tell(false);
  });
  return {
    subscribe(listener) {
      listeners.add(listener);
      if (open > 0) listener(true);
      return () => void listeners.delete(listener);
    },
  };
}
