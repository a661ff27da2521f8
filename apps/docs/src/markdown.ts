/**
 * The little of Markdown that the documentation is held to: headings, links and fenced blocks. Fences hide what is in
 * them from the other two.
 */
import GithubSlugger from "github-slugger";

export interface Block {
  /** Path of the page, relative to the repository. */
  readonly page: string;
  /** Line of the block's first line of content, from 1. */
  readonly line: number;
  /** First word after the fence; empty when there is none. */
  readonly language: string;
  /** The words after it. */
  readonly words: readonly string[];
  readonly text: string;
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** Its anchor, as GitHub and the site make it. */
  readonly slug: string;
  readonly line: number;
}

export interface Link {
  readonly target: string;
  readonly line: number;
}

export interface Page {
  readonly page: string;
  readonly blocks: readonly Block[];
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
}

/** Inline code, of any number of backticks. */
const CODE = /(`+)(?!`)[^]*?[^`]\1(?!`)/g;
/** A whole fenced block. */
const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[^]*?\n)?? {0,3}\1[`~]* *$/gm;
const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g;

/** Reads one page. A fence that is not closed is an error, for it hides the rest of the page. */
export function readPage(page: string, text: string): Page {
  const slugger = new GithubSlugger();
  const blocks: Block[] = [];
  const headings: Heading[] = [];
  const prose: string[] = [];
  const lines = text.split("\n");
  let open: { readonly fence: string; readonly info: string; readonly line: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(.*)$/.exec(line);
    if (open === undefined) {
      if (fence) open = { fence: fence[1] ?? "", info: fence[2] ?? "", line: index + 2 };
      prose.push(fence ? "" : line);
      continue;
    }
    prose.push("");
    if (fence?.[1]?.startsWith(open.fence) !== true || fence[2] !== "") continue;
    const [language = "", ...words] = open.info.split(/\s+/);
    const content = lines.slice(open.line - 1, index).map((one) => `${one}\n`);
    blocks.push({ page, line: open.line, language, words, text: content.join("") });
    open = undefined;
  }
  if (open) throw new Error(`${page}:${open.line - 1}: this fence is not closed`);
  for (const [index, line] of prose.entries()) {
    const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
    if (!heading) continue;
    const words = plainText(heading[2] ?? "");
    headings.push({
      depth: heading[1]?.length ?? 1,
      text: words,
      slug: slugger.slug(words),
      line: index + 1,
    });
  }
  return { page, blocks, headings, links: linksOf(prose.join("\n")) };
}

function linksOf(prose: string): readonly Link[] {
  const visible = prose.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, " "));
  // Code inside of a link's words leaves blanks there, and the link stays one.
  return [...visible.matchAll(LINK)].map((found) => ({
    target: found[1] ?? "",
    line: visible.slice(0, found.index).split("\n").length,
  }));
}

/** A heading's words without its marks. */
function plainText(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/`/g, "")
    .replaceAll(/\*\*/g, "");
}

/** Replaces the target of every link of a page; links in code are left alone. */
export function replaceLinks(text: string, replace: (target: string) => string): string {
  const blank = (code: string): string => code.replaceAll(/[^\n]/g, " ");
  const hidden = text.replaceAll(FENCE, blank).replaceAll(CODE, blank);
  let result = "";
  let done = 0;
  for (const found of hidden.matchAll(LINK)) {
    const target = found[1] ?? "";
    const at = found.index + found[0].lastIndexOf(target);
    result += text.slice(done, at) + replace(target);
    done = at + target.length;
  }
  return result + text.slice(done);
}
