import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { Finding } from "./finding.ts";
import type { World } from "./world.ts";

/** Whether isolated-vm has a prebuilt library for the sandbox's Node on this machine; nothing is ever compiled. */
export async function checkPrebuilt(world: World, nodePath: string): Promise<Finding> {
  const id = "isolated-vm";
  const asked = await world.runProgram(nodePath, ["-p", "process.versions.modules"]);
  if (!asked.ok)
    return { id, status: "skipped", found: "not looked for: the sandbox's Node cannot be started" };
  const platform = `${world.platform}-${world.arch}`;
  const prefix = `isolated-vm.abi${asked.stdout}.`;
  const folder = join(world.prebuilds(), platform);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  if (files.some((file) => file.startsWith(prefix) && file.endsWith(".node")))
    return { id, status: "ok", found: `prebuilt for ${platform}, ABI ${asked.stdout}` };
  return {
    id,
    status: "problem",
    found: `no prebuilt isolated-vm for ${platform}, ABI ${asked.stdout}`,
    cause:
      files.length === 0
        ? `There is no folder for ${platform} in ${world.prebuilds()}: ${platforms(world)}.`
        : `${folder} has ${files.join(", ")}, and nothing for ABI ${asked.stdout}.`,
    fix: "Install @nestbox/codemode again without leaving files out. Scripts run with Node 24 or 26 on Linux (x64, arm64), macOS (arm64) and Windows (x64); elsewhere use a container of one of these.",
  };
}

function platforms(world: World): string {
  const folder = world.prebuilds();
  const found = existsSync(folder) ? readdirSync(folder) : [];
  return found.length === 0 ? "the folder is empty or missing" : `it has ${found.join(", ")}`;
}
