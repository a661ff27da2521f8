import { isRunnable } from "./ask-node.ts";

/**
 * Looks for a Node once, and again when none was found or the one that was found is gone: one may be installed, or
 * exchanged for a newer one, while the host runs.
 */
export function rememberNode(find: () => Promise<string>): () => Promise<string> {
  let looking: Promise<string> | undefined;
  const look = (): Promise<string> => {
    const started = find();
    looking = started;
    started.catch(() => {
      if (looking === started) looking = undefined;
    });
    return started;
  };
  return async () => {
    const path = await (looking ?? look());
    return isRunnable(path) ? path : look();
  };
}
