/** Traces as files hold them. */
interface Call {
  id: string;
  name: string;
  startMs: number;
  status: string;
  argumentBytes: number;
  updates: number;
  children: Call[];
  [more: string]: unknown;
}

export interface TraceFile {
  schema: string;
  version: number;
  startedAt: string;
  durationMs: number;
  omitted: number;
  script?: Record<string, unknown>;
  calls: Call[];
}

export function call(id: string, name: string, more: Partial<Call> = {}): Call {
  const args = (more["arguments"] as string | undefined) ?? "{}";
  return {
    id,
    name,
    startMs: 0,
    durationMs: 10,
    runMs: 8,
    status: "ok",
    decision: { effect: "allow", rule: "harmless-tools", layer: "built-in" },
    argumentBytes: args.length,
    arguments: args,
    resultBytes: 24,
    result: '{"ok":true,"count":3}',
    updates: 0,
    children: [],
    ...more,
  };
}

const scriptText = `// @options: {"timeoutMs": 60000}
// Reviews the working tree and says what has to be done first.
const checks = await tools.run_checks({ skipTests: true });
const failing = await tools.failing_tests({});
const diff = await tools.collect_diff({ base: "HEAD~1" });
const files = diff.files.filter((file) => !file.path.endsWith(".lock"));

const reviews = [];
for (const file of files) {
  reviews.push(await tools.review_file({ path: file.path, depth: 2 }));
}

try {
  await tools.publish({ channel: "stable" });
} catch (error) {
  text(\`not published: \${error.message}\`);
}

console.log("reviewed", files.length);
return { typeErrors: checks.typeErrors, failing: failing.files.length, reviews };`;

/** A script's run as `nestbox run --trace` writes it. */
export function exampleTrace(): TraceFile {
  const read = { effect: "allow", rule: "read-the-diff", layer: "user" };
  const runs = { effect: "allow", rule: "run-the-projects-checks", layer: "user" };
  const files = ["src/cart.ts", "src/receipt.ts", "test/cart.test.ts"].map((path, index) =>
    call(`run/${index + 4}`, "review_file", {
      line: 10,
      startMs: 930 + index * 150,
      durationMs: 140,
      runMs: 132,
      decision: read,
      arguments: JSON.stringify({ path, depth: 2 }),
      result: JSON.stringify({
        path,
        findings: [{ line: 12, rule: "no-floating-promise", text: "await it" }],
      }),
      children: [
        call(`run/${index + 4}/1`, "read", {
          startMs: 935 + index * 150,
          durationMs: 22,
          runMs: 21,
          decision: read,
          arguments: JSON.stringify({ path }),
        }),
        call(`run/${index + 4}/2`, "search_history", {
          startMs: 960 + index * 150,
          durationMs: 88,
          runMs: 80,
          status: index === 1 ? "error" : "ok",
          ...(index === 1
            ? { error: "The history could not be read: not a git repository", result: undefined }
            : {}),
          arguments: JSON.stringify({ path, since: "2 weeks" }),
        }),
      ],
    }),
  );
  return {
    schema: "nestbox.call-trace",
    version: 1,
    startedAt: "2026-03-01T09:30:00.000Z",
    durationMs: 1_460,
    omitted: 0,
    script: {
      name: "review.ts",
      text: scriptText,
      state: "ended",
      output: [
        { kind: "text", text: "not published: Blocked (rule no-publishing, managed layer)" },
        { kind: "image", text: "image/png, 18240 bytes" },
        { kind: "console", text: "reviewed 3" },
      ],
      outputOmitted: 0,
      limits: [
        { name: "cpu", unit: "ms", max: 30_000, used: 41 },
        { name: "wall", unit: "ms", max: 1_500, used: 1_460 },
        { name: "memory", unit: "bytes", max: 268_435_456, used: 219_000_000 },
        { name: "calls", unit: "calls", max: 100_000, used: 7 },
        { name: "output", unit: "chars", max: 60, used: 61 },
        { name: "paused", unit: "ms", used: 0 },
      ],
      outcome: { ok: true, value: '{"typeErrors":1,"failing":2,"reviews":["…","…","…"]}' },
    },
    calls: [
      call("run/1", "run_checks", {
        line: 3,
        startMs: 12,
        durationMs: 560,
        runMs: 548,
        updates: 6,
        decision: runs,
        arguments: '{"skipTests":true}',
        result: '{"typeErrors":1,"exitCode":2}',
      }),
      call("run/2", "failing_tests", { line: 4, startMs: 575, durationMs: 240, runMs: 100, decision: runs }),
      call("run/3", "collect_diff", {
        line: 5,
        startMs: 820,
        durationMs: 96,
        runMs: 90,
        decision: read,
        arguments: '{"base":"HEAD~1","token":"[redacted: github-token]"}',
      }),
      ...files,
      call("run/7", "publish", {
        line: 14,
        startMs: 1_400,
        durationMs: 2,
        runMs: undefined,
        status: "denied",
        decision: { effect: "deny", rule: "no-publishing", layer: "managed" },
        arguments: '{"channel":"stable"}',
        result: undefined,
        error: "Blocked (rule no-publishing, managed layer): publishing is for the release workflow.",
      }),
      call("run/8", "notify_a_very_long_tool_name_that_does_not_fit_anywhere", {
        line: 20,
        startMs: 1_410,
        durationMs: 40,
        status: "cancelled",
        error: "Operation aborted",
        result: undefined,
      }),
    ],
  };
}

/** The same script another time: one call less, one more, one that ended in another way. */
export function otherTrace(): TraceFile {
  const trace = exampleTrace();
  const [checks, failing, diff, first, , third, publish] = trace.calls as [
    Call,
    Call,
    Call,
    Call,
    Call,
    Call,
    Call,
  ];
  const extra = call("run/9", "list_branches", { line: 6, startMs: 920, durationMs: 5 });
  publish["status"] = "ok";
  publish["decision"] = { effect: "allow", rule: "publish-from-main", layer: "project" };
  return { ...trace, calls: [checks, failing, diff, extra, first, third, publish] };
}

/** A tree of `count` calls, three levels deep. */
export function largeTrace(count: number, textChars = 400): TraceFile {
  const calls: Call[] = [];
  const statuses = ["ok", "ok", "ok", "ok", "error", "ok", "denied"];
  // Of 25 calls one is a root, six are below it, three below each of those.
  const stack: Call[] = [];
  for (let n = 0; n < count; n++) {
    const place = n % 25;
    const level = place === 0 ? 0 : place % 4 === 1 ? 1 : 2;
    const parent = stack[level - 1];
    const one = call(`${parent?.id ?? "run"}/${n}`, `tool_${n % 17}`, {
      startMs: n / 6,
      durationMs: 3 + (n % 9),
      runMs: 2 + (n % 7),
      line: 1 + (n % 40),
      status: statuses[n % statuses.length] ?? "ok",
      arguments: JSON.stringify({ n, text: "x".repeat(textChars) }),
      result: JSON.stringify({ n, text: "y".repeat(textChars) }),
    });
    (parent?.children ?? calls).push(one);
    stack[level] = one;
  }
  const at = count / 6;
  return {
    schema: "nestbox.call-trace",
    version: 1,
    startedAt: "2026-03-01T09:30:00.000Z",
    durationMs: at + 20,
    omitted: 0,
    script: {
      name: "large.ts",
      text: Array.from({ length: 60 }, (_, n) => `await tools.tool_${n}({ n: ${n} });`).join("\n"),
      state: "ended",
      output: [],
      outputOmitted: 0,
      limits: [{ name: "calls", unit: "calls", max: 100_000, used: count }],
      outcome: { ok: true },
    },
    calls,
  };
}

/** Text that would hurt where it is taken for markup, and text that moves what stands beside it. */
export const hostileText = [
  "</script><script>window.hurt = 1</script>",
  '<img src="https://example.invalid/x" onerror="window.hurt = 2">',
  "<!-- <script>",
  "\u202egnp.exe\u202c \u0000 \u001b[31m \u2028 \ud800 \u200b",
  "${window.hurt = 3} {{hurt}} &lt;b&gt;",
].join(" ");

/** A trace of which every text is hostile. */
export function hostileTrace(): TraceFile {
  const trace = exampleTrace();
  const bad = (id: string): Call =>
    call(id, hostileText, {
      line: 2,
      arguments: JSON.stringify({ [hostileText]: hostileText }),
      result: hostileText,
      error: hostileText,
      decision: { effect: "deny", rule: hostileText, layer: hostileText },
    });
  const top = bad(hostileText);
  top.children.push(bad("__proto__"), bad("constructor"), bad("__proto__"));
  return {
    ...trace,
    script: {
      ...trace.script,
      name: hostileText,
      text: `${hostileText}\n${hostileText}`,
      output: [{ kind: "text", text: hostileText }],
      limits: [{ name: hostileText, unit: hostileText, max: 1, used: 2 }],
      outcome: {
        ok: false,
        value: hostileText,
        error: { kind: hostileText, name: hostileText, message: hostileText, line: 2 },
      },
    },
    calls: [top],
  };
}
