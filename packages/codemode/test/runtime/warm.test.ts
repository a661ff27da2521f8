import { expect, test } from "vitest";
import { sandboxFiles } from "../../src/node/sandbox-files.ts";
import { isolatedVmFactory, loadIsolatedVm } from "../../src/sandbox/isolated-vm.ts";
import { REHEARSAL_SETUP } from "../../src/sandbox/rehearsal.ts";
import type { Vm } from "../../src/sandbox/vm.ts";

const SETUP = JSON.stringify(REHEARSAL_SETUP);

/** What a script can see of its realm: all that is reachable from the global, and what earlier code has left. */
const LOOK = `(async () => {
const seen = new Set(), all = [];
const walk = (value, path) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    const found = Reflect.getOwnPropertyDescriptor(value, key);
    const kind = "value" in found ? typeof found.value : "accessor";
    const plain = kind === "string" || kind === "number" || kind === "boolean" ? String(found.value) : "";
    all.push(path + "." + String(key) + ":" + kind + (found.writable ? "w" : "") + (found.configurable ? "c" : "") + plain);
    if ("value" in found) walk(found.value, path + "." + String(key));
  }
};
walk(globalThis, "");
const left = [RegExp.lastMatch, RegExp.input, RegExp.$1, RegExp.leftContext];
const call = await tools.one({ i: 1 });
return { all: all.filter((line) => !line.includes("timeOrigin")), left, call, stack: new Error("x").stack };
})`;

function see(vm: Vm, emitted: string[]): { readonly turns: string; readonly emitted: string } {
  const program = { text: LOOK, lineOffset: -1, trailing: false, mayGoOn: false };
  expect(vm.start(program, '{"store":{},"environment":{"now":1,"seed":2}}', 5_000)).toEqual({
    kind: "waiting",
  });
  const turns = [vm.drain()];
  expect(vm.settle('[[1,1,{"i":7}]]', 0, [], 5_000)).toEqual({ kind: "waiting" });
  turns.push(vm.drain());
  const segments = [vm.takeSegment(0)];
  vm.dispose();
  return { turns: [...turns, ...segments].join("\n"), emitted: emitted.join("\n") };
}

test("a realm that was made ready is to a script as one that was not", () => {
  const factory = isolatedVmFactory(loadIsolatedVm(sandboxFiles().prebuilds), 64);
  const make = (): { readonly vm: Vm; readonly emitted: string[] } => {
    const emitted: string[] = [];
    const services: string[] = [];
    const vm = factory.create(() => ({
      emit: (text) => void emitted.push(text),
      service(operation) {
        services.push(operation);
        return 0;
      },
    }));
    expect(services).toEqual([]);
    return { vm, emitted };
  };
  const cold = make();
  cold.vm.configure(SETUP);
  const warm = make();
  expect(warm.vm.warm()).toBe(true);
  warm.vm.configure(SETUP);
  expect(warm.vm.warm()).toBe(false);
  const late = make();
  late.vm.configure(SETUP);
  expect(late.vm.warm()).toBe(true);
  expect([warm.emitted, late.emitted]).toEqual([[], []]);

  const expected = see(cold.vm, cold.emitted);
  expect(expected.turns).toContain("globalThis");
  expect(expected.turns.length).toBeGreaterThan(20_000);
  expect(see(warm.vm, warm.emitted)).toEqual(expected);
  expect(see(late.vm, late.emitted)).toEqual(expected);
});
