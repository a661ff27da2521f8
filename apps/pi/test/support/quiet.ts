import { createMemoryGrants } from "@nestbox/policy";
import type { PolicyExtensionOptions } from "@nestbox/policy/pi";

/** A policy that reads and leaves nothing on this machine. */
export function quietPolicy(more: PolicyExtensionOptions = {}): PolicyExtensionOptions {
  return { files: [], audit: false, grants: createMemoryGrants(), ...more };
}
