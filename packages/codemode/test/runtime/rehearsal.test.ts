import { expect, test } from "vitest";
import { sandboxFiles } from "../../src/node/sandbox-files.ts";
import { FRAME } from "../../src/runner/frames.ts";
import { isolatedVmFactory, loadIsolatedVm } from "../../src/sandbox/isolated-vm.ts";
import { rehearse } from "../../src/sandbox/rehearsal.ts";
import { prepareSource } from "../../src/source/prepare.ts";

const prepare = (code: string) => prepareSource(code, { strip: (source) => source });

test("the rehearsal runs to its end, so that what it teaches is what scripts do", () => {
  const factory = isolatedVmFactory(loadIsolatedVm(sandboxFiles().prebuilds), 64);
  const early: string[] = [];
  const hooks = { emit: (text: string) => void early.push(text), service: () => 0 };
  const sent: { readonly type: number; readonly header: string }[] = [];
  factory.learn(
    (vm) => rehearse(vm, prepare, (type, _run, header) => sent.push({ type, header })),
    () => hooks,
  );
  expect(sent.map(({ type }) => type)).toEqual([...Array<number>(5).fill(FRAME.turn), FRAME.ended]);
  const all = [...early, ...sent.map(({ header }) => header)].join("\n");
  expect(all).toContain('[7,[0,{"first":{"i":1},"second":"text","third":[1],"bytes":4}]');
  expect(all).not.toContain("[8,");

  const vm = factory.create(() => hooks);
  let ended = false;
  rehearse({ ...vm, dispose: () => (ended = true) }, prepare);
  expect(ended).toBe(true);
  vm.dispose();
});
