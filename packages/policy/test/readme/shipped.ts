import { fileURLToPath } from "node:url";
import { createPolicyExtension } from "@nestbox/policy/pi";

const path = fileURLToPath(new URL("policy.jsonc", import.meta.url));
export default createPolicyExtension({ moreFiles: [{ path, layer: "user" }] });
