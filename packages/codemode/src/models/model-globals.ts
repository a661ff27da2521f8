import type { JsonValue, ToolUsage } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";
import type { HostGlobal } from "../types.ts";
import { classifierContextFault, type ContextHelp, imagesContextFault } from "./check-context.ts";
import { describeValue, withArticle } from "./describe-value.ts";
import { createLimiter } from "./limiter.ts";

/** Calls of models that one script may have in flight; more wait for their turn. */
export const MAX_MODEL_CALLS_IN_FLIGHT = 4;

const MODEL_TYPES = ["chat", "image", "classifier"] as const;

export type ModelType = (typeof MODEL_TYPES)[number];
type RunnableType = Exclude<ModelType, "chat">;

/** A model as a catalogue has it: a script never sees `headers`, and never chooses them. */
export interface CatalogModel {
  readonly provider: string;
  readonly id: string;
}

/** How a model's call ended; models answer errors, they do not throw them. */
export interface ModelResult {
  readonly stopReason: string;
  readonly errorMessage?: string | undefined;
  readonly usage?: ToolUsage | undefined;
}

/** Where models come from. In Pi it is the session's model registry. */
export interface ModelCatalog {
  getModelsOfType(type: ModelType, provider?: string): readonly CatalogModel[];
  getAvailableOfType(
    type: ModelType,
    provider: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly CatalogModel[]>;
  getModelOfType(type: ModelType, provider: string, id: string): CatalogModel | undefined;
  /** The context was checked; the model is the catalogue's own. */
  run(type: RunnableType, model: CatalogModel, context: unknown, signal: AbortSignal): Promise<ModelResult>;
}

export interface ModelGlobalsOptions extends ContextHelp {
  /** Told when a call begins, never its prompt or images; answers what wants to know how it ended. */
  readonly onCall?: (name: string, model: string) => ((result: ModelResult) => void) | undefined;
}

/**
 * The `models` global: listing, `classify()` and `generateImages()`. A script names a model by provider and id only,
 * so that an address or headers of its own never receive the session's credentials.
 */
export function createModelGlobals(
  catalog: ModelCatalog,
  options: ModelGlobalsOptions = {},
): readonly HostGlobal[] {
  const limit = createLimiter(MAX_MODEL_CALLS_IN_FLIGHT);

  const runModel = async (
    name: string,
    type: RunnableType,
    [model, context]: readonly JsonValue[],
    faultOf: (context: unknown) => string | undefined,
    signal: AbortSignal,
  ): Promise<ModelResult> => {
    const resolved = resolveModel(catalog, name, type, model);
    const fault = faultOf(context);
    if (fault !== undefined) throw new Error(fault);
    const ended = options.onCall?.(name, `${resolved.provider}/${resolved.id}`);
    const result = await limit(() => catalog.run(type, resolved, context, signal));
    ended?.(result);
    return result;
  };

  return [
    {
      name: "models.getModelsOfType",
      execute: ([type, provider]) =>
        catalog.getModelsOfType(toType(type), toProvider(provider)).map(withoutHeaders),
    },
    {
      name: "models.getAvailableOfType",
      execute: async ([type, provider], { signal }) => {
        const models = await catalog.getAvailableOfType(toType(type), toProvider(provider), signal);
        return models.map(withoutHeaders);
      },
    },
    {
      name: "models.getModelOfType",
      execute: (args) => {
        const [type, provider, id] = args;
        if (typeof provider !== "string" || typeof id !== "string") {
          const given = args.map(describeValue).join(", ");
          throw new Error(
            `models.getModelOfType(type, provider, id) expects three strings, got (${given}). The provider and the id are separate arguments, for example models.getModelOfType("classifier", "typesafe", "jev-latest").`,
          );
        }
        const model = catalog.getModelOfType(toType(type), provider, id);
        return model === undefined ? undefined : withoutHeaders(model);
      },
    },
    {
      name: "models.classify",
      execute: (args, { signal }) =>
        runModel(
          "models.classify",
          "classifier",
          args,
          (context) => classifierContextFault(context, options),
          signal,
        ),
    },
    {
      name: "models.generateImages",
      execute: (args, { signal }) =>
        runModel(
          "models.generateImages",
          "image",
          args,
          (context) => imagesContextFault(context, options),
          signal,
        ),
    },
  ];
}

/** `models` where there are none: it lists nothing, and its calls say why. */
export function createAbsentModels(): readonly HostGlobal[] {
  const absent = (name: string) => () => {
    throw new Error(
      `${name}() is not available here: models come from a Pi session, and this script runs outside of one.`,
    );
  };
  return [
    { name: "models.getModelsOfType", execute: ([type]) => (toType(type), []) },
    { name: "models.getAvailableOfType", execute: ([type]) => (toType(type), []) },
    { name: "models.getModelOfType", execute: ([type]) => (toType(type), undefined) },
    { name: "models.classify", execute: absent("models.classify") },
    { name: "models.generateImages", execute: absent("models.generateImages") },
  ];
}

function resolveModel(catalog: ModelCatalog, name: string, type: RunnableType, given: unknown): CatalogModel {
  const listHint = `List the ${type} models you can use with models.getAvailableOfType("${type}").`;
  if (!isRecord(given) || typeof given["provider"] !== "string" || typeof given["id"] !== "string") {
    // Arguments cross as JSON, where undefined is null.
    const missing = given === undefined || given === null;
    const hint = missing ? " models.getModelOfType() returns undefined for an unknown provider or id." : "";
    throw new Error(
      `${name}() expects ${withArticle(type)} model as its first argument, got ${describeValue(given)}.${hint} ${listHint}`,
    );
  }
  const { provider, id } = { provider: given["provider"], id: given["id"] };
  const resolved = catalog.getModelOfType(type, provider, id);
  if (resolved !== undefined) return resolved;
  const other = MODEL_TYPES.find(
    (kind) => kind !== type && catalog.getModelOfType(kind, provider, id) !== undefined,
  );
  throw new Error(
    other === undefined
      ? `Unknown ${type} model "${provider}/${id}". ${listHint}`
      : `"${provider}/${id}" is ${withArticle(other)} model, not ${withArticle(type)} model. ${listHint}`,
  );
}

function toType(value: unknown): ModelType {
  const type = MODEL_TYPES.find((entry) => entry === value);
  if (type !== undefined) return type;
  throw new Error(`Unknown model type ${JSON.stringify(value)}. Use "chat", "image", or "classifier".`);
}

function toProvider(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new Error("provider must be a string");
  return value;
}

/** Headers of a model can carry credentials. */
function withoutHeaders(model: CatalogModel): object {
  return Object.fromEntries(Object.entries(model).filter(([key]) => key !== "headers"));
}
