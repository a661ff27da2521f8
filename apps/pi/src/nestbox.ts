import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { type CodemodeExtensionOptions, createCodemodeExtension } from "@nestbox/codemode/pi";
import { dangers } from "@nestbox/policy";
import { createPolicyExtension, type PolicyExtensionOptions } from "@nestbox/policy/pi";
import { createReviewTools, type ReviewToolsOptions } from "@nestbox/review/node";
import { toCustomTools } from "@nestbox/tool/pi";

import { createLateTools, tellLeftOut } from "./late-tools.ts";

/** What an author who composes the whole of Nestbox can change; each part can be left out with `false`. */
export interface NestboxOptions {
  readonly codemode?: CodemodeExtensionOptions | false;
  readonly policy?: PolicyExtensionOptions | false;
  readonly review?: Omit<ReviewToolsOptions, "dangers"> | false;
}

/**
 * The codemode, the policy and the review tools as one Pi extension. Tools are registered when a session starts and
 * not while the extension loads, so that an extension that brings the same tools can be loaded beside this one.
 */
export function createNestbox(options: NestboxOptions = {}): (pi: ExtensionAPI) => void {
  return (pi) => {
    const late = createLateTools(pi);
    const policy = options.policy === false ? undefined : createPolicyExtension(options.policy);
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
      for (const tool of toCustomTools(tools)) late.pi.registerTool(tool);
    }
    pi.on("session_start", (_event, context) => {
      tellLeftOut(late.register(), context);
    });
  };
}
