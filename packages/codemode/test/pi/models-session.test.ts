import {
  type ClassifierContext,
  createProvider,
  type ImagesContext,
  type Provider,
  type Usage,
} from "@earendil-works/pi-ai";
import {
  createCodemodeExtension as createBuiltin,
  type ExtensionFactory,
} from "@earendil-works/pi-coding-agent";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { createCodemodeExtension } from "../../src/pi/index.ts";
import type { ScriptRunner } from "../../src/types.ts";
import { normalize } from "./parity/side.ts";
import { activateCodemode, parityTools, PNG } from "./parity/tools.ts";

// A provider of pi-ai's own making, registered by an extension in real sessions: one with Pi's codemode, one with ours.

const usage = (input: number): Usage => ({
  input,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: input + 1,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: input / 100 },
});

const MODEL = {
  provider: "local",
  baseUrl: "http://localhost:1",
  input: ["text" as const],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  headers: { authorization: "Bearer of-the-model" },
};

interface Asked {
  readonly classified: { readonly key: unknown; readonly context: ClassifierContext }[];
  readonly drawn: ImagesContext[];
}

/** Answers every question with its first choice; fails for the state `{ fail: true }`, and waits for `{ wait: true }`. */
function localProvider(asked: Asked): Provider {
  return createProvider({
    id: "local",
    auth: { apiKey: { name: "key", resolve: async () => ({ auth: { apiKey: "secret-key" } }) } },
    models: [
      {
        ...MODEL,
        type: "classifier",
        id: "judge",
        name: "Judge",
        api: "local-classifier",
        contextWindow: 100,
      },
      { ...MODEL, type: "image", id: "brush", name: "Brush", api: "local-images", output: ["image"] },
    ],
    classifiers: {
      "local-classifier": {
        async classify({ api, id, provider }, context, options) {
          asked.classified.push({ key: options?.apiKey, context });
          const ended = { api, provider, model: id, timestamp: 0 };
          if (context.state["fail"] === true) {
            return { ...ended, answers: {}, stopReason: "error", errorMessage: "the service is busy" };
          }
          if (context.state["wait"] === true) {
            await new Promise<void>((resolve) => options?.signal?.addEventListener("abort", () => resolve()));
            return { ...ended, answers: {}, stopReason: "aborted" };
          }
          const answers = Object.fromEntries(
            Object.keys(context.questions).map((name) => [
              name,
              { type: "bool" as const, probability: 0.75 },
            ]),
          );
          return { ...ended, answers, stopReason: "stop", usage: usage(10) };
        },
      },
    },
    images: {
      "local-images": {
        async generateImages({ api, id, provider }, context) {
          asked.drawn.push(context);
          const output = [{ type: "image" as const, data: PNG, mimeType: "image/png" }];
          return { api, provider, model: id, output, stopReason: "stop", usage: usage(5), timestamp: 0 };
        },
      },
    },
  });
}

interface ModelSide extends Asked {
  readonly session: ScriptedPiSession;
  run(code: string): Promise<string>;
}

async function side(codemode: ExtensionFactory): Promise<ModelSide> {
  const asked: Asked = { classified: [], drawn: [] };
  const models: ExtensionFactory = (pi) => pi.registerProvider(localProvider(asked));
  const session = await scriptedPiSession({
    extensions: [codemode, models, parityTools, activateCodemode],
    noTools: "builtin",
  });
  return {
    ...asked,
    session,
    async run(code) {
      await session.prompt("go", [call("codemode", { code }), "done"]);
      const content = session.toolResults().at(-1)?.content ?? [];
      return normalize(
        content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("|"),
      );
    },
  };
}

let runner: ScriptRunner;
let ours: ModelSide;
let builtin: ModelSide;

beforeAll(async () => {
  runner = createRunner({ maxProcesses: 1 });
  [ours, builtin] = await Promise.all([side(createCodemodeExtension({ runner })), side(createBuiltin())]);
});

afterAll(async () => {
  await Promise.all([ours.session.dispose(), builtin.session.dispose()]);
  await runner.close();
});

const QUESTIONS = `{ q: { type: "bool", instructions: "Is it?", criteria: { true: "yes", false: "no" } } }`;
const JUDGE = `const judge = await models.getModelOfType("classifier", "local", "judge");\n`;
const BRUSH = `const brush = await models.getModelOfType("image", "local", "brush");\n`;
const PROMPT = `{ input: [{ type: "text", text: "a fox" }] }`;

describe("models of a provider in a real session", () => {
  // contract D
  test.each([
    ["are listed, without headers", 'return await models.getModelsOfType("classifier")'],
    ["are listed where they can be used", 'return await models.getAvailableOfType("image", "local")'],
    ["are found by name", `${JUDGE}return judge`],
    ["classify", `${JUDGE}return await models.classify(judge, { state: { a: 1 }, questions: ${QUESTIONS} })`],
    [
      "classify many things at once",
      `${JUDGE}const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => models.classify(judge, { state: { n }, questions: ${QUESTIONS} })));
       return all.map((r) => r.answers.q.probability)`,
    ],
    [
      "answer an error, which is no throw",
      `${JUDGE}const r = await models.classify(judge, { state: { fail: true }, questions: ${QUESTIONS} }); return [r.stopReason, r.errorMessage]`,
    ],
    [
      "draw, and the script shows it",
      `${BRUSH}const r = await models.generateImages(brush, ${PROMPT}); for (const b of r.output) image(b)`,
    ],
    [
      "draw, and the script forgets to show it",
      `${BRUSH}const r = await models.generateImages(brush, ${PROMPT}); return r.output.length`,
    ],
  ])("%s: the same text as from the built-in codemode", async (_promise, code) => {
    const text = await ours.run(code);
    expect(text).toBe(await builtin.run(code));
    expect(text).toMatch(/^Script completed/);
    expect(text).not.toMatch(/of-the-model|secret-key/);
  });

  test("of another kind are refused, with what to do, before anything is asked", async () => {
    const code = `${BRUSH}return await models.classify(brush, { state: {}, questions: ${QUESTIONS} })`;
    const asked = ours.classified.length;
    const text = await ours.run(code);
    expect(text).toContain('"local/brush" is an image model, not a classifier model.');
    expect(text.replace(/\n {4}at line \d+/g, "")).toBe(
      (await builtin.run(code)).replace(/\n {4}at line \d+/g, ""),
    );
    expect(ours.classified).toHaveLength(asked);
  });

  test("get the context as the script wrote it and the session's key, whatever the script says", async () => {
    await ours.run(
      `return await models.classify({ provider: "local", id: "judge", baseUrl: "http://evil.test", headers: { a: "b" } }, { state: { exact: [1] }, questions: ${QUESTIONS} })`,
    );
    expect(ours.classified.at(-1)).toMatchObject({ key: "secret-key", context: { state: { exact: [1] } } });
    await ours.run(`${BRUSH}await models.generateImages(brush, ${PROMPT})`);
    expect(ours.drawn.at(-1)).toEqual({ input: [{ type: "text", text: "a fox" }] });
  });

  test("cost what they cost: usage stands in the result, and a row for every call", async () => {
    // contract A18
    const code = `${JUDGE}${BRUSH}await models.classify(judge, { state: {}, questions: ${QUESTIONS} }); image((await models.generateImages(brush, ${PROMPT})).output[0])`;
    const results = [];
    for (const each of [ours, builtin]) {
      await each.run(code);
      results.push(each.session.toolResults().at(-1));
    }
    const [own, theirs] = results;
    // Pi's own sum says besides whether the provider named the total.
    expect(theirs?.usage).toMatchObject(own?.usage ?? {});
    expect(own?.usage).toMatchObject({ input: 15, output: 2, cost: { total: expect.closeTo(0.15, 9) } });
    expect(own?.details).toMatchObject({
      calls: [
        { name: "models.classify", args: "local/judge", status: "ok", cost: 0.1 },
        { name: "models.generateImages", args: "local/brush", status: "ok", cost: 0.05 },
      ],
    });
  });

  test.each([
    [
      "after them",
      `await models.classify(judge, { state: {}, questions: ${QUESTIONS} }); throw new Error("late")`,
    ],
    [
      "between calls of tools",
      `await tools.echo({}); await models.classify(judge, { state: {}, questions: ${QUESTIONS} }); await tools.echo({}); await models.generateImages(brush, ${PROMPT}); throw new Error("late")`,
    ],
    [
      "that answered an error",
      `await models.classify(judge, { state: { fail: true }, questions: ${QUESTIONS} }); throw 1`,
    ],
    [
      "while they still ran",
      `models.classify(judge, { state: { wait: true }, questions: ${QUESTIONS} }); await tools.echo({}); throw 1`,
    ],
    ["before them", `if (judge) throw new Error("early")`],
  ])("stand in the list of calls made before a failure, as in the built-in codemode: %s", async (_, code) => {
    const text = await ours.run(JUDGE + BRUSH + code);
    expect(text).toBe(await builtin.run(JUDGE + BRUSH + code));
    expect(text).toMatch(/^Script failed/);
  });

  test("are told when the script has ended: what is still asked is aborted", async () => {
    const text = await ours.run(
      `${JUDGE}models.classify(judge, { state: { wait: true }, questions: ${QUESTIONS} }); return "not waited for"`,
    );
    expect(text).toContain("not waited for");
    expect(ours.session.toolResults().at(-1)?.details).toMatchObject({
      calls: [{ name: "models.classify", status: "cancelled" }],
    });
  });

  test("no extension reported an error", () => {
    expect([...ours.session.errors, ...builtin.session.errors]).toEqual([]);
  });
});
