import type { ToolRenderers } from "@earendil-works/pi-coding-agent";
import type { ToolContent } from "@nestbox/tool";

/** Stands before the error of a failed script, behind all that the script put out. */
const ERROR_LINE = "Script error:\n";

type RenderResult = NonNullable<ToolRenderers["renderResult"]>;

/**
 * Renderers of codemode whose collapsed result begins with the error of a failed script. Pi's own show the first lines
 * alone, and a script that had put something out does not seem to have failed then.
 */
export function withErrorFirst(renderers: ToolRenderers | undefined): ToolRenderers | undefined {
  const renderResult = renderers?.renderResult;
  if (renderers === undefined || renderResult === undefined) return renderers;
  const errorFirst: RenderResult = (result, options, theme, context) => {
    const moved =
      options.expanded || options.isPartial || !context.isError ? undefined : putErrorFirst(result.content);
    return renderResult(
      moved === undefined ? result : { ...result, content: [...moved] },
      options,
      theme,
      context,
    );
  };
  return { ...renderers, renderResult: errorFirst };
}

/**
 * The content of a failed script with the error right behind the header and the output after it; `undefined` where
 * there is no error, or nothing in front of it.
 */
export function putErrorFirst<TPart extends ToolContent>(
  content: readonly TPart[],
): readonly (TPart | { readonly type: "text"; readonly text: string })[] | undefined {
  // The first part is the header.
  for (let index = content.length - 1; index > 0; index -= 1) {
    const part = content[index];
    if (part?.type !== "text") continue;
    const at = lastErrorLine(part.text);
    if (at === undefined) continue;
    if (index === 1 && at === 0) return undefined;
    const [error, before] = [part.text.slice(at), part.text.slice(0, at).trimEnd()];
    return [
      ...content.slice(0, 1),
      { type: "text", text: error },
      ...content.slice(1, index),
      ...(before === "" ? [] : [{ type: "text" as const, text: before }]),
      ...content.slice(index + 1),
    ];
  }
  return undefined;
}

/** Where the last line that announces an error begins: a script may have printed such a line itself. */
function lastErrorLine(text: string): number | undefined {
  for (let at = text.lastIndexOf(ERROR_LINE); at !== -1; at = text.lastIndexOf(ERROR_LINE, at - 1)) {
    if (at === 0 || text[at - 1] === "\n") return at;
  }
  return undefined;
}
