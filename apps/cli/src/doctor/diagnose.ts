import { examine, type Finding } from "./finding.ts";
import { checkFolders } from "./folders.ts";
import { checkNode, checkSandboxNode } from "./node.ts";
import { checkPrebuilt } from "./prebuilt.ts";
import { checkPermissions, checkSandbox } from "./sandbox.ts";
import { checkSpawn } from "./spawn.ts";
import { checkHelpers, checkPi, checkPolicies, checkPort } from "./surroundings.ts";
import type { World } from "./world.ts";

/** Looks at everything that has to be right before a script runs, in the order in which one thing needs another. */
export async function diagnose(world: World): Promise<readonly Finding[]> {
  const node = await examine("node", () => checkNode(world));
  const { finding, nodePath } = await checkSandboxNode(world);
  const spawn = await examine("spawn", () => checkSpawn(world, nodePath ?? world.execPath));
  const needs = (id: string): Finding => ({
    id,
    status: "skipped",
    found: `not tried: it needs ${nodePath === undefined ? "a Node for sandboxes" : "permission to start programs"}`,
  });
  const able = nodePath !== undefined && spawn.status === "ok";
  const sandbox = able
    ? [
        await examine("isolated-vm", () => checkPrebuilt(world, nodePath)),
        await examine("permissions", () => checkPermissions(world, nodePath)),
        await examine("sandbox", () => checkSandbox(world, nodePath)),
      ]
    : ["isolated-vm", "permissions", "sandbox"].map(needs);
  return [
    node,
    finding,
    spawn,
    ...sandbox,
    await examine("folders", () => checkFolders(world)),
    await examine("policy", () => checkPolicies(world)),
    await examine("port", () => checkPort(world)),
    await examine("pi", () => checkPi(world)),
    ...(spawn.status === "ok" ? await checkHelpers(world) : ["git", "types"].map(needs)),
  ];
}
