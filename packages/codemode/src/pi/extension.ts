/**
 * The `codemode` tool as an extension of Pi, in the place of the built-in one. What is made while the extension loads
 * belongs to this load: sandboxes are started when the model is first asked while the tool is active, and closed when the session ends, and everything of
 * the session is asked for when a script runs (contract A26).
 */
import { type ExtensionAPI, type ExtensionFactory, getDocsPath } from "@earendil-works/pi-coding-agent";
import type { CallDecision } from "@nestbox/tool";
import { Type } from "typebox";
import { createScriptChecker, type ScriptChecker } from "../check/node/script-checker.ts";
import { createSampleCache } from "../discovery/sample-cache.ts";
import type { OutputFiles } from "../output/format-outcome.ts";
import { createTempFiles } from "../output/node/temp-files.ts";
import { isRecord } from "../shared/guards.ts";
import { SOURCE_GRAMMAR } from "../source/options-line.ts";
import type { ScriptLimits, ScriptRunner } from "../types.ts";
import { builtinRenderers } from "./builtin-renderers.ts";
import { describeCodemode, PROMPT_GUIDELINES, PROMPT_SNIPPET } from "../script-tool/description.ts";
import { executeCodemode } from "./execute.ts";
import { type CodemodeMode, prepareLoadout } from "./loadout.ts";
import { CODEMODE_TOOL_NAME } from "./names.ts";
import { createPromptPauses } from "./pauses.ts";
import { prepareArguments } from "../script-tool/prepare-arguments.ts";
import { createRunnerHolder } from "./runner-holder.ts";
import { scriptReach } from "../script-tool/script-reach.ts";

/** Estimated tokens for the declarations in the description when no setting says otherwise; the same as Pi's. */
export const DEFAULT_INLINE_BUDGET = 3000;

/** Whether scripts are type-checked before they run, and what a mistake means. */
export type CodemodeCheck = "off" | "note" | "refuse";

export interface CodemodeExtensionOptions {
  /** Overrides the `codemode.mode` setting. */
  readonly mode?: CodemodeMode;
  /** Overrides the `codemode.inlineBudget` setting, in estimated tokens. */
  readonly inlineBudget?: number;
  /** Whether scripts have `models`. Default: true. */
  readonly models?: boolean;
  /** Whether the tool is active without being asked for. Default: false, as Pi's own. */
  readonly active?: boolean;
  /**
   * Makes what runs the scripts. Default: a runner of this package, made for the first script. It is closed when the
   * session ends; an existing runner is used as it is and never closed.
   */
  readonly runner?: ScriptRunner | (() => ScriptRunner | Promise<ScriptRunner>);
  /** Limits of every script; a `timeout_ms` of the script's own comes on top. */
  readonly limits?: Partial<ScriptLimits>;
  /** How a nested call was decided, for the record; a policy's engine knows. */
  readonly decisionOf?: (callId: string) => CallDecision | undefined;
  /**
   * Type-checks every script against the tools it can call before it runs, where TypeScript 7 is installed: `note`
   * runs it and keeps what was found in the details, `refuse` does not run a script with mistakes. Overrides the
   * `codemode.check` setting; without either: `off`.
   */
  readonly check?: CodemodeCheck;
  /** What checks. Default: a checker of this package. */
  readonly checker?: ScriptChecker;
  /** Where cut output and images are written. Default: the system's temporary folder. */
  readonly files?: OutputFiles;
}

/** Makes the extension. Register it once: a tool named `codemode` takes the place of the built-in one. */
export function createCodemodeExtension(options: CodemodeExtensionOptions = {}): ExtensionFactory {
  return (pi) => {
    const holder = createRunnerHolder(options.runner);
    const pauses = createPromptPauses(pi);
    const render = createSampleCache();
    let checker = options.checker;
    const files = options.files ?? createTempFiles();
    const modelsReference = options.models === false ? undefined : `${getDocsPath()}/codemode.md`;
    pi.on("session_shutdown", () => holder.close());
    // While the model thinks there is time to start a sandbox; one that cannot start is told by the script.
    pi.on("agent_start", () => {
      if (!pi.getActiveTools().includes(CODEMODE_TOOL_NAME)) return;
      void holder
        .get()
        .then((runner) => runner.warm())
        .catch(() => undefined);
    });
    pi.registerTool({
      ...builtinRenderers(),
      name: CODEMODE_TOOL_NAME,
      label: CODEMODE_TOOL_NAME,
      // Replaced by the loadout as soon as the tool is active.
      description: describeCodemode([], { modelsReference }),
      promptSnippet: PROMPT_SNIPPET,
      promptGuidelines: [...PROMPT_GUIDELINES],
      parameters: Type.Object({ code: Type.String({ description: "Source of the script." }) }),
      prepareArguments,
      constrainedSampling: { type: "grammar", variants: { openai_lark: SOURCE_GRAMMAR } },
      // Scripts start no scripts.
      exposure: "model-only",
      defaultActive: options.active ?? false,
      // A script has no effect of its own: every effect is a call that is judged by itself.
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: modelsReference !== undefined,
      },
      executionMode: "parallel",
      reachesTools: scriptReach,
      prepareLoadout: (loadout) =>
        prepareLoadout(loadout, {
          mode: options.mode ?? readMode(pi),
          inlineBudget: options.inlineBudget ?? readInlineBudget(pi),
          modelsReference,
        }),
      execute: async (toolCallId, params, signal, onUpdate, ctx) => {
        const check = options.check ?? readCheck(pi);
        return executeCodemode(
          { toolCallId, code: params.code, signal, onUpdate, ctx },
          {
            pi,
            runner: () => holder.get(),
            files,
            pauses,
            limits: options.limits ?? {},
            render,
            modelsReference,
            decisionOf: options.decisionOf,
            checker: check === "off" ? undefined : (checker ??= createScriptChecker()),
            refuse: check === "refuse",
          },
        );
      },
    });
  };
}

function readMode(pi: ExtensionAPI): CodemodeMode {
  return pi.getSettings().codemode?.mode === "only" ? "only" : "on";
}

/** Not one of Pi's own settings: whatever it holds that is no mode is `off`. */
function readCheck(pi: ExtensionAPI): CodemodeCheck {
  const settings: unknown = pi.getSettings().codemode;
  const check = isRecord(settings) && Object.hasOwn(settings, "check") ? settings["check"] : undefined;
  return check === "note" || check === "refuse" ? check : "off";
}

function readInlineBudget(pi: ExtensionAPI): number {
  const budget: unknown = pi.getSettings().codemode?.inlineBudget;
  return typeof budget === "number" && Number.isFinite(budget) && budget >= 0
    ? budget
    : DEFAULT_INLINE_BUDGET;
}
