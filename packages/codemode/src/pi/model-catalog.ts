import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { CatalogModel, ModelCatalog } from "../models/model-globals.ts";

type Registry = Pick<
  ExtensionContext["modelRegistry"],
  "getModelsOfType" | "getAvailableOfType" | "getModelOfType" | "classify" | "generateImages"
>;

/** The session's models. A call runs with the registry's own entry and the session's credentials. */
export function createPiCatalog(registry: Registry): ModelCatalog {
  return {
    getModelsOfType: (type, provider) => registry.getModelsOfType(type, provider),
    getAvailableOfType: (type, provider, signal) => registry.getAvailableOfType(type, provider, { signal }),
    getModelOfType: (type, provider, id) => registry.getModelOfType(type, provider, id),
    async run(type, model, context, signal) {
      // The contexts were checked by whoever calls; Pi's types for them are not importable here.
      if (type === "classifier") {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        const checked = context as Parameters<Registry["classify"]>[1];
        return registry.classify(own(registry, type, model), checked, { signal });
      }
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      const checked = context as Parameters<Registry["generateImages"]>[1];
      return registry.generateImages(own(registry, type, model), checked, { signal });
    },
  };
}

function own<TType extends "classifier" | "image">(
  registry: Registry,
  type: TType,
  { provider, id }: CatalogModel,
) {
  const model = registry.getModelOfType(type, provider, id);
  if (model === undefined) throw new Error(`Unknown ${type} model "${provider}/${id}".`);
  return model;
}
