import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { registerTools } from "@nestbox/tool/pi";
import { refusedOrder } from "./order-rule.ts";
import { createWarehouseTools, type Warehouse } from "./warehouse-tools.ts";

/** The same tools and the same rule for a session of the coding agent, where `codemode` is the script tool. */
export function createWarehouseExtension(warehouse: Warehouse): ExtensionFactory {
  return (pi) => {
    registerTools(pi, createWarehouseTools(warehouse), { owner: "the warehouse example" });
    pi.on("tool_call", ({ toolName, input }) => {
      const reason = refusedOrder(toolName, input);
      return reason === undefined ? undefined : { block: true, reason };
    });
  };
}
