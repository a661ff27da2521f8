import { pageHtml } from "../html.ts";
import type { Run } from "../model/run.ts";
import { pageAssets } from "./page-assets.ts";

/** One self-contained HTML document that shows these runs, two of them side by side where there are more than one. */
export async function renderTracePage(runs: readonly Run[]): Promise<string> {
  const title = `Trace: ${runs.map(({ name }) => name).join(", ")}`;
  return pageHtml(await pageAssets(), title, { mode: "file", runs });
}
