/**
 * Thousands of scripts at the pool's limit, a tenth of them hostile: the host must answer throughout, its memory stay
 * flat, every script get exactly one outcome, and no process be left.
 */
import { readdirSync, readFileSync } from "node:fs";
import { createRunner } from "@nestbox/codemode/node";
import type { ScriptErrorKind, ScriptOutcome } from "@nestbox/codemode";
import type { JsonObject, JsonValue, ToolCaller } from "@nestbox/tool";

interface SoakScript {
  readonly code: string;
  /** How it may end; a script whose sandbox another one has killed ends as `sandbox`, which is counted apart. */
  readonly ends: readonly (ScriptErrorKind | "ok")[];
  readonly value?: JsonValue;
}

const HOSTILE: readonly SoakScript[] = [
  { code: "while (true) {}", ends: ["timeout"] },
  { code: "let b = 2n; while (true) b = b * b", ends: ["timeout", "memory"] },
  { code: "const a = []; while (true) a.push(new Array(1e5).fill(1.5))", ends: ["memory", "timeout"] },
  { code: "for (let i = 0; ; i++) tools.noop({ i })", ends: ["limit", "timeout"] },
  { code: "while (true) await null", ends: ["timeout"] },
  { code: "await tools.kill({})", ends: ["sandbox"] },
  { code: "return [...'.'.repeat(2e8)].length", ends: ["memory", "timeout"] },
  {
    code: "Promise.reject(new Proxy(new Error('x'), { get() { while (true) {} } })); return 1",
    ends: ["ok", "timeout"],
  },
  { code: "for (;;) console.log('x'.repeat(1000))", ends: ["limit", "timeout"] },
  { code: "const a = []; for (;;) a.push(new Uint8Array(2 ** 24).fill(1))", ends: ["memory", "timeout"] },
];
const KIND: readonly SoakScript[] = [
  { code: "return 1 + 1", ends: ["ok"], value: 2 },
  {
    code: "let s = 0; for (let i = 0; i < 20; i++) s += (await tools.noop({ i })).i; return s",
    ends: ["ok"],
    value: 190,
  },
  {
    code: "return (await Promise.all(Array.from({ length: 50 }, (_, i) => tools.noop({ i })))).length",
    ends: ["ok"],
    value: 50,
  },
  {
    code: "await new Promise((resolve) => setTimeout(resolve, 5)); text('slept'); return load('x') ?? 'nothing'",
    ends: ["ok"],
    value: "nothing",
  },
  { code: "const n: number = 3; return n", ends: ["ok"], value: 3 },
  { code: "throw new Error('expected')", ends: ["script"] },
];
/** What a hostile script may take. */
const CPU_MS = 500;
/** Time of a kind script counts while others have the processor, too: only one that hangs ever meets this. */
const KIND_CPU_MS = 60_000;
const MAX_OWN_WORK_MS = 500;
const MAX_GROWTH_MB = 150;
const PROCESSES = 2;
const AT_ONCE = 8;

export async function soak(scripts: number): Promise<number> {
  const runner = createRunner({
    maxProcesses: PROCESSES,
    maxWaiting: AT_ONCE,
    graceMs: 150,
    limits: { memoryMb: 64 },
  });
  let calls = 0;
  let kills = 0;
  /** Scripts whose sandbox was killed under them, and those that ended in another way than they may. */
  let killed = 0;
  const wrong: string[] = [];
  const caller: ToolCaller = {
    tools: ["noop", "kill"].map((name) => ({ name, description: name, parameters: {}, outputSchema: {} })),
    executeTool(name, args) {
      if (name === "kill") {
        for (const pid of sandboxes()) {
          kills++;
          process.kill(pid, "SIGKILL");
        }
      }
      return Promise.resolve({
        toolCall: { type: "toolCall", id: `soak/${++calls}`, name, arguments: (args ?? {}) as JsonObject },
        result: { content: [], details: {}, structuredContent: (args ?? {}) as JsonObject },
        isError: false,
        durationMs: 0,
      });
    },
  };
  const kinds = new Map<string, number>();
  let settled = 0;
  let started = 0;
  let worst = { delayMs: 0, ownMs: 0 };
  let mostOwnMs = 0;
  let last = performance.now();
  let spent = process.cpuUsage();
  const pulse = setInterval(() => {
    const now = performance.now();
    const own = process.cpuUsage(spent);
    // A busy machine makes everybody wait: what counts against the host is its own work.
    const ownMs = (own.user + own.system) / 1_000;
    mostOwnMs = Math.max(mostOwnMs, ownMs);
    if (now - last - 20 > worst.delayMs) worst = { delayMs: now - last - 20, ownMs };
    spent = process.cpuUsage();
    last = now;
  }, 20);
  let early: number | undefined;
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (started < scripts) {
      const n = started++;
      const hostile = n % 10 === 9;
      const list = hostile ? HOSTILE : KIND;
      const script = list[(Math.floor(n / 10) + (n % 10)) % list.length] as SoakScript;
      const outcome: ScriptOutcome = await runner.run({
        code: script.code,
        caller,
        limits: { cpuMs: hostile ? CPU_MS : KIND_CPU_MS },
      });
      settled++;
      const end = outcome.ok ? "ok" : outcome.error.kind;
      if (end === "sandbox") killed++;
      else if (!script.ends.includes(end) || (outcome.ok && !hostile && outcome.value !== script.value)) {
        wrong.push(`${script.code}: ${end}${outcome.ok ? "" : `: ${outcome.error.message}`}`);
      }
      const key = `${hostile ? "hostile" : "kind"}: ${end}`;
      kinds.set(key, (kinds.get(key) ?? 0) + 1);
      if (settled === Math.ceil(scripts / 5)) early = process.memoryUsage.rss();
      if (settled % 1_000 === 0) {
        console.log(
          `${settled} scripts, ${(process.memoryUsage.rss() / 1e6).toFixed(0)} MB, ${((performance.now() - began) / 1000).toFixed(0)} s`,
        );
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  clearInterval(pulse);
  const growthMb = (process.memoryUsage.rss() - (early ?? 0)) / 1e6;
  await runner.close();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const left = sandboxes().length;
  for (const [kind, count] of [...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(`${kind}: ${count}`);
  console.log(
    `${settled} outcomes, worst pause of the host ${worst.delayMs.toFixed(0)} ms (${worst.ownMs.toFixed(0)} ms its own work; most at once ${mostOwnMs.toFixed(0)} ms), growth ${growthMb.toFixed(0)} MB, ${left} processes left`,
  );
  for (const line of wrong.slice(0, 20)) console.log(`ended wrongly: ${line}`);
  console.log(
    `${kills} sandboxes killed, ${killed} scripts ended with theirs, ${wrong.length} ended wrongly`,
  );
  // A process that is killed takes one script with it at most.
  const asExpected = wrong.length === 0 && killed <= kills;
  const good =
    settled === scripts &&
    asExpected &&
    left === 0 &&
    growthMb < MAX_GROWTH_MB &&
    mostOwnMs < MAX_OWN_WORK_MS;
  console.log(good ? "soak passed" : "soak FAILED");
  return good ? 0 : 1;
}

/** Sandbox processes of this one; Linux only. */
function sandboxes(): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, "utf8"))?.[1]);
      const isSandbox = readFileSync(`/proc/${name}/cmdline`, "utf8").includes("sandbox/main");
      return parent === process.pid && isSandbox ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
