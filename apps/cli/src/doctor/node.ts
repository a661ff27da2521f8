import { nodeProblem } from "../node-version.ts";
import { type Finding } from "./finding.ts";
import { messageOf } from "@nestbox/tool";
import { checkSpawn } from "./spawn.ts";
import type { World } from "./world.ts";

/** The Node that runs the command line. */
export function checkNode({ version, execPath }: World): Finding {
  const found = `Node ${version} (${execPath})`;
  if (nodeProblem(version, execPath) === undefined) return { id: "node", status: "ok", found };
  return {
    id: "node",
    status: "problem",
    found,
    cause: `Node ${version} is too old: Nestbox uses what came with Node 22.19.`,
    fix: "Install Node 26 from https://nodejs.org or with your version manager.",
  };
}

/** The Node that will run sandboxes, or why there is none. */
export async function checkSandboxNode(
  world: World,
): Promise<{ readonly finding: Finding; readonly nodePath?: string }> {
  const id = "sandbox-node";
  try {
    const nodePath = await world.findNode();
    return { nodePath, finding: { id, status: "ok", found: `sandboxes run on ${nodePath}` } };
  } catch (error) {
    // One that was named and does not run at all has a reason of its own.
    const named = world.namedNode;
    const tried = named === undefined ? undefined : await checkSpawn(world, named);
    const broken = tried?.status === "problem" ? tried : undefined;
    return {
      finding: {
        id,
        status: "problem",
        found: "no Node for sandboxes",
        cause: broken?.cause === undefined ? messageOf(error) : `${named} cannot be started: ${broken.cause}`,
        fix:
          broken?.fix ??
          "Install Node 24 or 26 so that it is found on PATH, or name one: nestbox run --node /path/to/node",
      },
    };
  }
}
