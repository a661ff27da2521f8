import { join } from "node:path";

import { type ExtensionAPI, type ExtensionContext, getAgentDir } from "@earendil-works/pi-coding-agent";
import { type CodemodeExtensionOptions, createCodemodeExtension } from "@nestbox/codemode/pi";
import { dangers } from "@nestbox/policy";
import { createPolicyExtension, type PolicyExtensionOptions } from "@nestbox/policy/pi";
import { createReviewTools, type ReviewToolsOptions } from "@nestbox/review/node";
import { withReviewRenderers } from "@nestbox/review/pi";
import { toCustomTools } from "@nestbox/tool/pi";

import { createLateTools, tellRegistered } from "./late-tools.ts";
import { POLICY_VARIABLE, readParts, readPolicySwitch } from "./settings.ts";
import { tell } from "./tell.ts";

/** What an author who composes the whole of Nestbox can change; each part can be left out with `false`. */
export interface NestboxOptions {
  readonly codemode?: CodemodeExtensionOptions | false;
  readonly policy?: PolicyExtensionOptions | false;
  readonly review?: Omit<ReviewToolsOptions, "dangers"> | false;
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
    const policy =
      options.policy === false || !policySwitch.on ? undefined : createPolicyExtension(options.policy);
    policy?.(pi);
    if (options.codemode !== false) {
      void createCodemodeExtension({
        ...(policy === undefined ? {} : { decisionOf: (callId) => policy.decisionOf(callId) }),
        active: true,
        ...options.codemode,
      })(late.pi);
    }
    if (options.review !== false) {
      const tools = createReviewTools({ ...options.review, dangers: () => dangers(policy?.layers() ?? []) });
      for (const tool of toCustomTools(withReviewRenderers(tools))) late.pi.registerTool(tool);
    }
    pi.on("session_start", (_event, context) => {
      const parts = readParts(pi.getSettings());
      const registered = late.register((name) => !parts.off.has(name === CODEMODE ? "codemode" : "review"));
      tellRegistered(registered, context);
      for (const problem of parts.problems) tell(context, `Nestbox: ${problem}`, "warning");
      if (options.policy !== false) tellPolicy(context);
    });

    const tellPolicy = (context: ExtensionContext): void => {
      if (!policySwitch.on) {
        tell(
          context,
          `Nestbox: the policy is off, says ${policySwitch.by}. Every call runs unasked.`,
          "warning",
        );
      } else if (readParts(pi.getSettings()).wantsPolicyOff) {
        const ways = `nestbox.policy in ${settingsPath}, or ${POLICY_VARIABLE}=off`;
        tell(
          context,
          `Nestbox: the policy stays on. A project cannot switch it off, only ${ways}.`,
          "warning",
        );
      }
    };
  };
}
