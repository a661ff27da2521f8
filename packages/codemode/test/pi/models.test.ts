import type { JsonValue } from "@nestbox/tool";
import { describe, expect, test } from "vitest";
import {
  createAbsentModels,
  createModelGlobals,
  type ModelCatalog,
  type ModelResult,
} from "../../src/models/model-globals.ts";
import type { HostGlobal } from "../../src/types.ts";

const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
};

const MODELS = [
  {
    type: "classifier",
    provider: "p",
    id: "c",
    name: "C",
    headers: { authorization: "secret" },
    baseUrl: "https://real.test",
  },
  { type: "image", provider: "p", id: "i", name: "I" },
  { type: "chat", provider: "p", id: "m", name: "M" },
] as const;

function catalog(run: ModelCatalog["run"] = async () => ({ stopReason: "stop", usage })): ModelCatalog {
  return {
    getModelsOfType: (type, provider) =>
      MODELS.filter((m) => m.type === type && (provider === undefined || m.provider === provider)),
    getAvailableOfType: async (type) => MODELS.filter((m) => m.type === type),
    getModelOfType: (type, provider, id) =>
      MODELS.find((m) => m.type === type && m.provider === provider && m.id === id),
    run,
  };
}

const signal = new AbortController().signal;

function caller(globals: readonly HostGlobal[]) {
  return async (name: string, ...args: JsonValue[]): Promise<unknown> =>
    globals.find((global) => global.name === `models.${name}`)?.execute(args, { signal });
}

const context = {
  state: { a: 1 },
  questions: { q: { type: "bool", instructions: "?", criteria: { true: "y", false: "n" } } },
};

describe("models", () => {
  test("are listed without their headers", async () => {
    const call = caller(createModelGlobals(catalog()));
    expect(await call("getModelsOfType", "classifier")).toEqual([
      { type: "classifier", provider: "p", id: "c", name: "C", baseUrl: "https://real.test" },
    ]);
    expect(await call("getAvailableOfType", "image")).toMatchObject([{ id: "i" }]);
    expect(await call("getModelOfType", "classifier", "p", "c")).not.toHaveProperty("headers");
  });

  test("run by provider and id only: an address of the script's own never counts", async () => {
    const used: unknown[] = [];
    const call = caller(
      createModelGlobals(
        catalog(async (_type, model) => {
          used.push(model);
          return { stopReason: "stop" };
        }),
      ),
    );
    await call(
      "classify",
      { provider: "p", id: "c", baseUrl: "https://evil.test", headers: { x: "y" } },
      context,
    );
    expect(used).toEqual([MODELS[0]]);
  });

  test("a model of another type is named", async () => {
    const call = caller(createModelGlobals(catalog()));
    await expect(call("classify", { provider: "p", id: "i" }, context)).rejects.toThrow(
      '"p/i" is an image model, not a classifier model.',
    );
  });

  test.each<[JsonValue, string]>([
    [{ ...context, state: 1 }, "context.state must be an object, got a number"],
    [{ ...context, images: [{}] }, "context.images[0] must be an image block, got {}"],
    [{ ...context, questions: {} }, "context.questions must map question IDs to questions, got {}"],
    [
      { ...context, questions: { q: { type: "score", instructions: "?", criteria: {} } } },
      'context.questions.q is a "score" question',
    ],
    [
      { ...context, questions: { q: { type: "x", instructions: "?" } } },
      'context.questions.q.type must be "choice", "score", or "bool", got "x"',
    ],
    [
      { ...context, questions: { q: { type: "choice" } } },
      "context.questions.q.instructions must be a string",
    ],
  ])("a context that is wrong is refused before it is sent: %#", async (wrong, message) => {
    const call = caller(createModelGlobals(catalog()));
    await expect(call("classify", { provider: "p", id: "c" }, wrong)).rejects.toThrow(message);
  });

  test("at most four run at once, in the order of their calls", async () => {
    let open = 0;
    let most = 0;
    const run = async (): Promise<ModelResult> => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open--;
      return { stopReason: "stop", usage };
    };
    const ended: string[] = [];
    const call = caller(
      createModelGlobals(catalog(run), { onCall: (_name, model) => () => void ended.push(model) }),
    );
    await Promise.all(
      Array.from({ length: 12 }, () => call("classify", { provider: "p", id: "c" }, context)),
    );
    expect(most).toBe(4);
    expect(ended).toHaveLength(12);
  });
});

test("outside of Pi models list nothing, and their calls say why", async () => {
  const call = caller(createAbsentModels());
  expect(await call("getModelsOfType", "chat")).toEqual([]);
  expect(await call("getModelOfType", "chat", "a", "b")).toBeUndefined();
  await expect(call("getModelsOfType", "x")).rejects.toThrow("Unknown model type");
  await expect(call("classify", {}, {})).rejects.toThrow("models come from a Pi session");
});
