/**
 * A script that is run for nobody, so that what every script needs is compiled before the first one comes: reading the
 * source, the prelude's functions, the report of a turn.
 */
import type { PrepareOutcome } from "../source/prepare.ts";
import { createSession, type SessionOptions } from "./session.ts";
import type { Vm } from "./vm.ts";

const CODE = `const first = await tools.one({ a: [1, "x"] });
const [second, third] = await Promise.all([tools.one("text"), tools.one()]);
text("line"); console.log("line", { first }, second);
store("key", { third }); load("key");
try { await tools.one({}) } catch (error) { text(String(error)) }
const bytes = await ctx.executeTool("one", { deep: { list: [1, 2, 3] } });
return { first, second, third, bytes: bytes.length };`;

/** What a script may use in a rehearsal. */
export const REHEARSAL_SETUP = {
  tools: [["one", "one"]],
  globals: ["searchTools"],
  limits: {
    depth: 512,
    valueChars: 1e6,
    outputChars: 1e6,
    outputItems: 100,
    logLines: 100,
    calls: 100,
    inFlight: 10,
    timers: 10,
  },
};

const ROUNDS = [
  '[[1,1,{"i":1}]]',
  "[[2,2,0],[3,3,1]]",
  '[[4,4,{"name":"Error","message":"no","denied":true}]]',
  "[[5,5,[0,[[[],0,4]]]]]",
];

/** `send` gets what a host would. */
export function rehearse(
  vm: Vm,
  prepare: (code: string) => PrepareOutcome,
  send: SessionOptions["send"] = () => undefined,
): void {
  const session = createSession({
    run: 0,
    vm,
    code: CODE,
    setup: JSON.stringify(REHEARSAL_SETUP),
    own: '{"store":{},"environment":{}}',
    cpuMs: 1_000,
    memoryMb: 0,
    maxFrameBytes: 1_000_000,
    prepare,
    send,
    ended: () => undefined,
    clock: () => performance.now(),
  });
  session.start();
  const segments = [["null"], ["text", "[1]"], [], ["null", new Uint8Array(4)]];
  for (const [index, answers] of ROUNDS.entries()) session.settle(answers, 0, segments[index] ?? []);
}
