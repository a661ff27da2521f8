import { createPolicyExtension } from "@nestbox/policy/pi";

// Load it after the extensions that change arguments, so that it judges what runs.
export default createPolicyExtension({ timeout: { afterMs: 15 * 60_000, outcome: "stop" } });
