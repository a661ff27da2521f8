import { bool, obj, opt, str } from "@earendil-works/pi-schema";
import {
  compileSchema,
  defineTool,
  failureResult,
  throwIfAborted,
  type CompiledSchema,
  type ToolContext,
} from "@nestbox/tool";

import { checksSchema } from "../../checks.ts";
import { dangersSchema } from "../../dangers.ts";
import { diffSchema, type DiffFile, type DiffReport } from "../../diff.ts";
import { failuresSchema } from "../../failures.ts";
import { changedLines, checkFindings, dangerFindings, sortFindings, testFindings } from "../../findings.ts";
import { limits } from "../../limits.ts";
import { reviewNamespace } from "../../namespace.ts";
import {
  reviewParts,
  reviewSchema,
  type MissingPart,
  type ReviewPart,
  type ReviewReport,
} from "../../review.ts";
import { reviewText } from "../../text/review-text.ts";
import type { ReviewEnvironment } from "../options.ts";
import { timeoutParameter } from "./parameters.ts";
import { clean, report } from "./result.ts";

const parameters = obj({
  base: opt(
    str({
      minLength: 1,
      maxLength: 255,
      description: "Branch, tag or commit to review against. Default: what is not committed",
    }),
  ),
  skipTests: opt(bool({ description: "Review without running the tests. Default: false" })),
  timeoutSeconds: timeoutParameter("each check and test run"),
});

const schemas = {
  collect_diff: compileSchema(diffSchema),
  run_checks: compileSchema(checksSchema),
  failing_tests: compileSchema(failuresSchema),
  dangerous_commands: compileSchema(dangersSchema),
};

type PartResult<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly missing: MissingPart };

/**
 * `review_diff`: the other tools at once, and what they say together (contract A3).
 *
 * By itself it reads and writes nothing: every effect is that of a nested call, which the host validates and a policy
 * judges like a call of the model's. That is what its annotations say, so that a policy asks about the effect once
 * and not about its envelope too. The tests run in one nested call only, `failing_tests`.
 */
export function reviewDiffTool(environment: ReviewEnvironment) {
  return defineTool({
    name: "review_diff",
    label: "Review diff",
    description:
      "Reviews the changes of the working tree: collects the diff, runs the project's own type check, linter and tests, and maps what fails to the changed files. " +
      "Call it before you report on a diff. Accepts base, skipTests and timeoutSeconds. " +
      "Returns { verdict, summary, changed, findings, checks, tests, missing }; each finding has file, line, severity and evidence, and missing says which part could not be had and why. " +
      "Do not substitute a command of your own; for one part alone use run_checks, failing_tests or collect_diff.",
    promptSnippet: "Review the changes of the working tree with the project's own checks",
    promptGuidelines: [
      "Call review_diff before you report on a diff, and do not substitute a command of your own for it.",
    ],
    parameters,
    outputSchema: reviewSchema,
    exposure: "direct",
    namespace: reviewNamespace,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async execute(_id, params, signal, onUpdate, context) {
      if (typeof context?.executeTool !== "function") {
        const missing = reviewParts.map((part) =>
          absent(part, "this host cannot call one tool from another"),
        );
        const data = clean(assemble({ missing }), environment);
        return failureResult(data, { text: reviewText(data), details: data });
      }
      const parts = new Parts(context, signal, (state) => {
        onUpdate?.({ content: [{ type: "text", text: state }], details: { state } });
      });
      const timeout = params.timeoutSeconds === undefined ? {} : { timeoutSeconds: params.timeoutSeconds };
      const wantsTests = params.skipTests !== true;
      // Without failing_tests the tests are left to run_checks. Denied is another matter: that was the answer.
      const testsInChecks = wantsTests && !parts.has("failing_tests");
      const [diff, checks, tests, dangers] = await Promise.all([
        collect(parts, params.base),
        parts.call("run_checks", { skipTests: !testsInChecks, ...timeout }),
        wantsTests ? parts.call("failing_tests", timeout) : undefined,
        parts.call("dangerous_commands", { limit: limits.maxDangerPage }),
      ]);
      throwIfAborted(signal);
      const missing: MissingPart[] = [];
      for (const part of [diff, checks, tests, dangers]) if (part?.ok === false) missing.push(part.missing);
      if (!wantsTests)
        missing.push({ part: "failing_tests", reason: "skipped", message: "skipTests is set" });
      if (diff.ok) missing.push(...diff.data.missing);
      const files = diff.ok ? diff.data.files : [];
      const changed = changedLines(files);
      const findings = sortFindings([
        ...(tests?.ok === true ? testFindings(tests.data, changed) : []),
        ...(checks.ok ? checkFindings(checks.data, changed) : []),
        ...(dangers.ok ? dangerFindings(dangers.data.entries, files) : []),
      ]);
      if (tests?.ok === true && !["passed", "failed", "no-tests"].includes(tests.data.outcome)) {
        const why = tests.data.runs.find((run) => run.outcome === tests.data.outcome)?.message ?? "";
        missing.push({
          part: "failing_tests",
          reason: "failed",
          message: `${tests.data.outcome}${why === "" ? "" : `: ${why}`}`,
        });
      }
      for (const [part, result] of [
        ["run_checks", checks],
        ["failing_tests", tests],
      ] as const) {
        const notRun = result?.ok === true ? (result.data.notRun ?? 0) : 0;
        if (notRun > 0) missing.push({ part, reason: "cut", message: `${notRun} more were not run` });
      }
      const data = assemble({
        missing,
        files,
        findings,
        checks: checks.ok ? checks.data.steps : [],
        ...(tests?.ok === true ? { tests: tests.data } : {}),
      });
      return report(data, environment, reviewText);
    },
  });
}

function absent(part: ReviewPart, message: string): MissingPart {
  return { part, reason: "not-available", message };
}

/** The nested calls of one review: each at most once for one act, and none of them able to end the review. */
class Parts {
  readonly #context: ToolContext;
  readonly #signal: AbortSignal | undefined;
  readonly #tell: (state: string) => void;
  readonly #states = new Map<string, string>();

  constructor(context: ToolContext, signal: AbortSignal | undefined, tell: (state: string) => void) {
    this.#context = context;
    this.#signal = signal;
    this.#tell = tell;
  }

  /** Whether the host can call it now: registered, active where it must be, and not filtered out. */
  has(part: ReviewPart): boolean {
    const tools: unknown = this.#context.tools;
    return !Array.isArray(tools) || tools.some((tool: { readonly name?: unknown }) => tool.name === part);
  }

  async call<TPart extends ReviewPart>(part: TPart, args: Readonly<Record<string, unknown>>) {
    type Data = (typeof schemas)[TPart] extends CompiledSchema<infer T> ? T : never;
    const failed = (reason: MissingPart["reason"], message: string): PartResult<Data> => {
      this.#state(part, reason);
      return { ok: false, missing: { part, reason, message: message.slice(0, 500) } };
    };
    if (!this.has(part))
      return failed("not-available", `${part} is not active, not registered, or filtered out`);
    this.#state(part, "running");
    try {
      const outcome = await this.#context.executeTool(
        part,
        args,
        this.#signal === undefined ? {} : { signal: this.#signal },
      );
      const { structuredContent } = outcome.result;
      // The schema is the one that the tool was defined with; a tool of another maker under this name fails here.
      const checked = schemas[part].check(structuredContent);
      if (checked.ok && !outcome.isError) {
        this.#state(part, "done");
        return { ok: true, data: checked.value as Data } satisfies PartResult<Data> as PartResult<Data>;
      }
      const text = outcome.result.content
        .flatMap((item) => (item.type === "text" ? [item.text] : []))
        .join("\n");
      if (!outcome.isError) return failed("failed", `${part} returned data of another form`);
      if (/^Tool \S+ not found/.test(text)) return failed("not-available", text);
      // A tool that ran has a duration; a call that was blocked never began.
      const denied =
        outcome.decision?.effect === "deny" || (outcome.durationMs === undefined && isBlock(text));
      return failed(denied ? "denied" : "failed", text.trim() || `${part} failed without a message`);
    } catch (error) {
      return failed("failed", error instanceof Error ? error.message : String(error));
    }
  }

  #state(part: string, state: string): void {
    this.#states.set(part, state);
    this.#tell([...this.#states].map(([name, value]) => `${name}: ${value}`).join("\n"));
  }
}

/** Whether an error text is that of a policy, where the host does not carry the decision itself. */
function isBlock(text: string): boolean {
  return /\b(?:block(?:ed|s)?|den(?:y|ied|ies)|declined|not allowed|permission|approval|policy)\b/i.test(
    text.slice(0, 1_000),
  );
}

/** All pages of the diff, up to the limit; a page that cannot be had is told, and those before it are kept. */
async function collect(
  parts: Parts,
  base: string | undefined,
): Promise<PartResult<{ readonly files: readonly DiffFile[]; readonly missing: readonly MissingPart[] }>> {
  const files: DiffFile[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < limits.reviewPages; page += 1) {
    const result: PartResult<DiffReport> = await parts.call("collect_diff", {
      limit: limits.maxDiffPageFiles,
      ...(base === undefined ? {} : { base }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (!result.ok) {
      if (page === 0) return result;
      return { ok: true, data: { files, missing: [{ ...result.missing, reason: "cut" }] } };
    }
    files.push(...result.data.files);
    cursor = result.data.nextCursor;
    if (cursor === undefined) return { ok: true, data: { files, missing: [] } };
  }
  const message = `only the first ${files.length} changes were reviewed`;
  return { ok: true, data: { files, missing: [{ part: "collect_diff", reason: "cut", message }] } };
}

interface Pieces {
  readonly missing: readonly MissingPart[];
  readonly files?: readonly DiffFile[];
  readonly findings?: readonly ReviewReport["findings"][number][];
  readonly checks?: readonly {
    readonly id: string;
    readonly kind: string;
    readonly ok: boolean;
    readonly status: string;
  }[];
  readonly tests?: {
    readonly outcome: NonNullable<ReviewReport["tests"]>["outcome"];
    readonly passed: number;
    readonly failed: number;
    readonly skipped: number;
  };
}

function assemble({ missing, files = [], findings = [], checks = [], tests }: Pieces): ReviewReport {
  const kept = findings.slice(0, limits.findings);
  const changed = new Map<string, { areas: string[]; added: number; removed: number; known: boolean }>();
  for (const file of files) {
    const entry = changed.get(file.path) ?? { areas: [], added: 0, removed: 0, known: true };
    changed.set(file.path, entry);
    if (!entry.areas.includes(file.area)) entry.areas.push(file.area);
    entry.added += file.added ?? 0;
    entry.removed += file.removed ?? 0;
    entry.known &&= file.added !== undefined;
  }
  const gaps = missing.filter(({ reason }) => reason !== "skipped" || findings.length === 0);
  const serious = findings.filter(({ severity }) => severity !== "info");
  const verdict = serious.length > 0 ? "findings" : gaps.length > 0 ? "incomplete" : "clean";
  const inDiff = findings.filter((finding) => finding.inDiff).length;
  const failedChecks = checks.filter(({ ok }) => !ok).map(({ id }) => id);
  const parts = [
    `${changed.size} changed files`,
    checks.length === 0
      ? "no checks"
      : failedChecks.length === 0
        ? `${checks.length} checks pass`
        : `failed checks: ${failedChecks.join(", ")}`,
    tests === undefined
      ? "no test result"
      : `tests ${tests.outcome} (${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped)`,
    `${findings.length} findings, ${inDiff} of them in the diff`,
  ];
  const lacking =
    missing.length === 0
      ? ""
      : ` Missing: ${missing.map(({ part, reason }) => `${part} (${reason})`).join(", ")}.`;
  return {
    verdict,
    summary: `${verdict}: ${parts.join("; ")}.${lacking}`,
    changed: [...changed].map(([path, { areas, added, removed, known }]) => ({
      path,
      areas,
      ...(known ? { added, removed } : {}),
    })),
    findings: kept,
    findingsOmitted: findings.length - kept.length,
    checks: checks.map(({ id, kind, ok, status }) => ({ id, kind, ok, status })),
    ...(tests === undefined
      ? {}
      : {
          tests: {
            outcome: tests.outcome,
            passed: tests.passed,
            failed: tests.failed,
            skipped: tests.skipped,
          },
        }),
    missing: [...missing],
  };
}
