import { join } from "node:path";

import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type CodemodeExtensionOptions, createCodemodeExtension } from "@nestbox/codemode/pi";
import { dangers } from "@nestbox/policy";
import type { PolicyExtensionOptions } from "@nestbox/policy/pi";
import { createReviewTools, type ReviewToolsOptions } from "@nestbox/review/node";
import { withReviewRenderers } from "@nestbox/review/pi";
import { toCustomTools } from "@nestbox/tool/pi";

import { createScriptPlaces } from "./approval/script-place.ts";
import { withErrorFirst } from "./error-first.ts";
import { registerCodemodeCommand, registerReviewCommand } from "./hand/commands.ts";
import { createHandRuns } from "./hand/hand-runs.ts";
import { registerRunMessages } from "./hand/output.ts";
import { installPolicy } from "./hand/policy-guard.ts";
import { createLateTools, tellRegistered } from "./late-tools.ts";
import { createPolicyPart } from "./policy-part.ts";
import { POLICY_VARIABLE, policyWordProblem, readParts, readPolicySwitch } from "./settings.ts";
import { tell } from "./tell.ts";
import { registerTraceCommand } from "./trace/command.ts";
import { createTraceRecorder } from "./trace/recorder.ts";
import { watchedRunner } from "./watched-runner.ts";

/** What an author who composes the whole of Nestbox can change; each part can be left out with `false`. */
export interface NestboxOptions {
  readonly codemode?: CodemodeExtensionOptions | false;
  readonly policy?: PolicyExtensionOptions | false;
  readonly review?: Omit<ReviewToolsOptions, "dangers"> | false;
  /** The calls of the last run, for `/trace`. */
  readonly traces?: false;
}

const CODEMODE = "codemode";

/**
 * The codemode, the policy and the review tools as one Pi extension. Tools are registered when a session starts and
 * not while the extension loads, so that an extension that brings the same tools can be loaded beside this one.
 */
export function createNestbox(options: NestboxOptions = {}): (pi: ExtensionAPI) => void {
  return (pi) => {
    const late = createLateTools(pi);
    const settingsPath = join(getAgentDir(), "settings.json");
    const policySwitch = readPolicySwitch({ env: process.env, settingsPath });
    const places = createScriptPlaces(pi);
    const policy =
      options.policy === false || policySwitch.on === false
        ? undefined
        : createPolicyPart(pi, places, {
            ...options.policy,
            ...(policySwitch.on === "dry-run" ? { mode: "dry-run" } : {}),
          });
    const guard = policy === undefined ? undefined : installPolicy(pi, policy);
    const decisionOf = (callId: string) => policy?.decisionOf(callId);
    const traces = options.traces === false ? undefined : createTraceRecorder(pi, decisionOf);
    const runs = createHandRuns({
      pi,
      own: late.own,
      guard,
      onBegin: () => traces?.begin(),
      onEvent(event) {
        traces?.onEvent(event);
        if (event.type === "tool_execution_end") places.forget(event.toolCallId);
      },
      onCall: (callId) => places.note(callId),
    });
    registerRunMessages(pi);
    if (traces !== undefined) registerTraceCommand(pi, traces);
    if (options.codemode !== false) {
      registerCodemodeCommand(pi, runs);
      // Where somebody else's codemode is used, it looks as its author wants.
      pi.registerToolRenderer((name, next) =>
        name === CODEMODE && late.own.has(name) ? withErrorFirst(next()) : next(),
      );
      void createCodemodeExtension({
        ...(policy === undefined ? {} : { decisionOf }),
        active: true,
        ...options.codemode,
        runner: watchedRunner(options.codemode?.runner, (runner) =>
          places.watch(traces?.watch(runner) ?? runner),
        ),
      })(late.pi);
    }
    if (options.review !== false) {
      registerReviewCommand(pi, runs);
      const tools = createReviewTools({ ...options.review, dangers: () => dangers(policy?.layers() ?? []) });
      for (const tool of toCustomTools(withReviewRenderers(tools))) late.pi.registerTool(tool);
    }
    pi.on("session_start", (_event, context) => {
      const parts = readParts(pi.getSettings());
      const registered = late.register((name) => !parts.off.has(name === CODEMODE ? "codemode" : "review"));
      tellRegistered(registered, context);
      if (traces !== undefined) traces.on = !parts.off.has("traces");
      for (const problem of parts.problems) tell(context, `Nestbox: ${problem}`, "warning");
      if (options.policy !== false) tellPolicy(context);
    });

    const tellPolicy = (context: ExtensionContext): void => {
      const problem = policyWordProblem(process.env);
      if (problem !== undefined) tell(context, `Nestbox: ${problem}`, "warning");
      const wanted = readParts(pi.getSettings()).wantsPolicy;
      if (policySwitch.on === false) {
        tell(
          context,
          `Nestbox: the policy is off, says ${policySwitch.by}. Every call runs unasked.`,
          "warning",
        );
      } else if (policySwitch.on === "dry-run") {
        tell(
          context,
          `Nestbox: the policy only looks on, says ${policySwitch.by}. Calls run unasked, and what it would have denied is on record and in /policy. Its own files stay guarded.`,
          "warning",
        );
      } else if (wanted !== undefined) {
        const ways = `nestbox.policy in ${settingsPath}, or ${POLICY_VARIABLE}=${wanted}`;
        const what = wanted === "off" ? "switch it off" : "make it look on only";
        tell(context, `Nestbox: the policy stays on. A project cannot ${what}, only ${ways}.`, "warning");
      }
    };
  };
}
