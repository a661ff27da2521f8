import { keyHint, keyText, type ToolRenderers } from "@earendil-works/pi-coding-agent";

type RenderCall = NonNullable<ToolRenderers["renderCall"]>;
type RenderResult = NonNullable<ToolRenderers["renderResult"]>;
type Component = ReturnType<RenderCall>;
type RenderContext = Parameters<RenderCall>[2];

const EXPAND = "app.tools.expand";
const WORDS = "to expand";

/**
 * The same renderers, whose hint how to expand names the key that the host has bound. They ask the copy of Pi that they
 * are part of, and in the shipped command line that is another one than the one that runs and knows the keys.
 */
export function withHostKeys(renderers: ToolRenderers): ToolRenderers {
  const { renderCall, renderResult } = renderers;
  /** What was drawn before is handed back, and is to be the renderers' own then. */
  const originals = new WeakMap<Component, Component>();
  const inner = (context: RenderContext): RenderContext => {
    const { lastComponent } = context;
    const original = lastComponent === undefined ? undefined : originals.get(lastComponent);
    return original === undefined ? context : { ...context, lastComponent: original };
  };
  const outer = (component: Component, context: RenderContext): Component => {
    if (keyText(EXPAND) === context.keyText(EXPAND)) return component;
    const hinted = withHint(component, context);
    originals.set(hinted, component);
    return hinted;
  };
  return {
    ...renderers,
    ...(renderCall === undefined
      ? {}
      : {
          renderCall: ((args, theme, context) =>
            outer(renderCall(args, theme, inner(context)), context)) satisfies RenderCall,
        }),
    ...(renderResult === undefined
      ? {}
      : {
          renderResult: ((result, options, theme, context) =>
            outer(renderResult(result, options, theme, inner(context)), context)) satisfies RenderResult,
        }),
  };
}

/** The same component, drawn a little narrower where the line with the hint has no room for the key. */
function withHint(component: Component, context: RenderContext): Component {
  const more = context.keyText(EXPAND).length - keyText(EXPAND).length;
  return {
    render(width) {
      const lines = component.render(width);
      const [blank, told] = [keyHint(EXPAND, WORDS), context.keyHint(EXPAND, WORDS)];
      const put = (line: string): string => line.replace(blank, () => told);
      const fits = (line: string): boolean => more <= 0 || line.endsWith(" ".repeat(more));
      if (!lines.some((line) => line.includes(blank))) return lines;
      if (lines.every((line) => !line.includes(blank) || fits(line)))
        return lines.map((line) =>
          line.includes(blank) && more > 0 ? put(line).slice(0, -more) : put(line),
        );
      return width > more ? component.render(width - more).map(put) : lines;
    },
    invalidate: () => component.invalidate(),
  };
}
