import { type Finding } from "./finding.ts";
import { messageOf } from "@nestbox/tool";
import type { World } from "./world.ts";

/** Whether this process may start others: without that there is no sandbox and no command. */
export async function checkSpawn(world: World, file: string): Promise<Finding> {
  const id = "spawn";
  const end = await world
    .runProgram(file, ["--version"])
    .catch((error: unknown) => ({ ok: false as const, message: messageOf(error) }));
  if (end.ok) return { id, status: "ok", found: "other programs can be started" };
  return {
    id,
    status: "problem",
    found: `${file} cannot be started`,
    cause: end.message,
    fix: wayOut(end.message, file),
  };
}

function wayOut(message: string, file: string): string {
  if (/ERR_ACCESS_DENIED|permission model|Access to this API has been restricted/i.test(message))
    return "Node itself was started with --permission: add --allow-child-process, or start nestbox without --permission.";
  if (/EAGAIN|ENOMEM/.test(message))
    return "The system has no room for another process: raise the limit (ulimit -u, the container's pids limit) or end some.";
  if (/EACCES|EPERM/.test(message))
    return `You have no permission to start it: see ls -l ${file}, a mount with noexec, and the security profile (seccomp, AppArmor, SELinux) of the container.`;
  if (/ENOENT/.test(message))
    return `There is no such program: install it again, or name another with --node.`;
  return `Run it by hand to see more: ${file} --version`;
}
