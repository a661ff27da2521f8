import { cutText, plainText } from "./model/show-text.ts";
import type { Run } from "./model/run.ts";

/** The built page: script and style as text, with their hashes as a content security policy names them. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
  readonly scriptHash: string;
  readonly styleHash: string;
}

/** What the page finds in itself: the runs, or that it has to ask the server that sent it. */
export type PageData =
  | { readonly mode: "file"; readonly runs: readonly Run[] }
  | { readonly mode: "live" | "fleet" };

/** Nothing from outside, no evaluation, no markup made of text. `live`: the page may talk to where it comes from. */
export function contentPolicy({ scriptHash, styleHash }: PageAssets, live: boolean): string {
  return [
    "default-src 'none'",
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "img-src data:",
    ...(live ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** One self-contained document. */
export function pageHtml(assets: PageAssets, title: string, data: PageData): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(assets, data.mode !== "file")}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<link rel="icon" href="data:,">',
    `<title>${escapeHtml(plainText(cutText(title, 200)))}</title>`,
    `<style>${assets.style}</style>`,
    "</head>",
    "<body>",
    '<div id="app"></div>',
    "<noscript>This page shows a call trace and needs JavaScript.</noscript>",
    `<script type="application/json" id="trace-data">${jsonForHtml(data)}</script>`,
    `<script>${assets.script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/**
 * JSON that ends no element and begins no comment, whatever its strings hold. What would reorder the source of the
 * document for somebody who reads it is escaped as well.
 */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
    [...Array(char.length).keys()]
      .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
