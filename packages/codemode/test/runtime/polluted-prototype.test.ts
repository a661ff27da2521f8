import { expect, test } from "vitest";
import { preludeSource } from "../../src/sandbox/prelude/index.ts";
import { CASE_TOOLS } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { value } = harness({ maxProcesses: 1 });

/** Every name that the bridge's source has, so that no member it may read can be forgotten here. */
const NAMES = [...new Set(preludeSource().match(/[A-Za-z_$][\w$]*/g))].filter(
  // What every object has, and what the language itself asks objects for.
  (name) => !(name in {}) && name !== "then" && name !== "toJSON",
);

const TOOLS = [
  ...CASE_TOOLS,
  {
    name: "plain",
    run: () => {
      throw new Error("no data");
    },
  },
  { name: "bytes", run: () => ({ a: new Uint8Array(3) }) },
];

/** Does all that a script can do, before and while every name is on `Object.prototype`. */
const script = (descriptor: string): string => `
  const bare = (members) => Object.assign(Object.create(null), members);
  const names = ${JSON.stringify(NAMES)};
  const seen = bare({});
  let during;
  const caught = (work) => work().then(() => "no error", (error) => error.name + error.message + JSON.stringify(Object.entries(error)));
  const steps = [
    async () => JSON.stringify(await tools.echo({ z: { y: [1] }, s: "x".repeat(3000) })).length,
    async () => JSON.stringify([await tools.noop({ i: 4 }), await tools.noop()]),
    () => caught(() => tools.fail({})),
    () => caught(() => tools.plain({})),
    () => caught(() => tools.echo({ a: { b: 1n } })),
    () => caught(() => tools.echo("x".repeat(3000))),
    async () => [(await ctx.executeTool("noop", { i: 9 })).isError, (await ctx.executeTool("nope", { i: 9 })).isError] + "",
    async () => (await tools.bytes({})).a.length,
    () => { text({ q: 1 }); text("x".repeat(3000)); },
    () => { console.log({ q: 2 }, [1]); console.table([{ q: 1 }]); console.count(); console.group("a"); console.groupEnd(); },
    () => { store("s", { q: 1 }); return load("s").q; },
    async () => { let timer; await new Promise((resolve) => { timer = setTimeout(resolve, 1); }); clearTimeout(timer); },
    async () => { await new Promise((resolve) => queueMicrotask(resolve)); },
    () => { try { tools.nop } catch (error) { return error.message } },
    () => { image("data:image/png;base64,iVBORw0KGgoAAAAA"); image(new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0])); },
    () => ALL_TOOLS.length,
    async () => JSON.stringify(await tools.echo({ m: new Map([[1, 2]]), s: new Set([1]), d: new Date(0), r: /a/g, e: new RangeError("x", { cause: 1 }), u: undefined, n: NaN, f() {}, b: new ArrayBuffer(2), t: new Uint8Array(2) })),
  ];
  const before = bare({ length: steps.length });
  const after = bare({ length: steps.length });
  for (let i = 0; i < steps.length; i++) before[i] = await steps[i]();
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    Object.defineProperty(Object.prototype, name, bare(${descriptor}));
  }
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i];
    during = i + 1;
    after[i] = await step();
    during = undefined;
  }
  for (let i = 0; i < names.length; i++) delete Object.prototype[names[i]];
  return { seen: Object.keys(seen), differs: Array.from(before, (was, i) => [i, was, after[i]]).filter(([, was, is]) => was !== is), steps: steps.length };
`;

test.each([
  [
    "an accessor",
    "{ configurable: true, get() { if (during) seen[name] = during; }, set() { if (during) seen[name] = during; } }",
  ],
  ["a value", "{ configurable: true, writable: true, value: true }"],
])(
  "hostile 11: %s under every name that the bridge knows is neither asked nor believed",
  async (_, descriptor) => {
    const found = await value(script(descriptor), { tools: TOOLS, limits: { cpuMs: 60_000 } });
    expect(found).toEqual({ seen: [], differs: [], steps: 17 });
  },
);
