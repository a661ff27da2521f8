import type { Static } from "@earendil-works/pi-schema";
import type { ExtensionToolContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { defineTool, type DefineToolOptions } from "../define-tool.ts";
import type { DefinedTool, ToolSpec } from "../tool-spec.ts";

type HostField =
  | "constrainedSampling"
  | "prepareLoadout"
  | "renderCall"
  | "renderResult"
  | "reachesTools"
  | "renderShell";

type RenderCall = NonNullable<ToolDefinition["renderCall"]>;
type RenderResult = NonNullable<ToolDefinition["renderResult"]>;
type Theme = Parameters<RenderCall>[1];
type Component = ReturnType<RenderCall>;

/** Pi's context of a renderer, with the tool's own types of arguments and state. */
export type RenderContext<TArgs, TState> = Omit<Parameters<RenderCall>[2], "args" | "state"> & {
  args: TArgs;
  state: TState;
};

/** A tool's spec with the fields that only Pi understands typed as Pi types them. */
export interface PiToolSpec<
  TParams extends object,
  TOutput extends object | undefined = undefined,
  TDetails = unknown,
  TContext = ExtensionToolContext,
  TState = unknown,
>
  extends
    Omit<ToolSpec<TParams, TOutput, TDetails, TContext>, HostField>,
    Pick<ToolDefinition, "constrainedSampling" | "prepareLoadout" | "reachesTools" | "renderShell"> {
  readonly renderCall?: (
    args: Static<TParams>,
    theme: Theme,
    context: RenderContext<Static<TParams>, TState>,
  ) => Component;
  readonly renderResult?: (
    result: Parameters<RenderResult>[0],
    options: Parameters<RenderResult>[1],
    theme: Theme,
    context: RenderContext<Static<TParams>, TState>,
  ) => Component;
}

/**
 * `defineTool` with Pi's own types: `execute` gets Pi's tool context, renderers get Pi's theme. For a tool that also
 * serves the low-level agent, which has no context, write `ExtensionToolContext | undefined` at `execute`.
 */
export function definePiTool<
  const TParams extends object,
  const TOutput extends object | undefined = undefined,
  TDetails = unknown,
  TContext = ExtensionToolContext,
  TState = unknown,
>(
  spec: PiToolSpec<TParams, TOutput, TDetails, TContext, TState>,
  options: DefineToolOptions = {},
): DefinedTool<TParams, TOutput, TDetails, TContext> {
  return defineTool<TParams, TOutput, TDetails, TContext>(spec, options);
}
