import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const namespace = fileURLToPath(new URL("../../../../../packages/restate/scripts/live.sh", import.meta.url));

/** Runs a story of this folder on an engine, that of Restate in a namespace with nothing but loopback. */
export function tellStory(
  name: string,
  engine: string,
): { readonly told: readonly string[]; readonly stderr: string; readonly status: number | null } {
  const story = fileURLToPath(new URL(name, import.meta.url));
  const words = ["--conditions=@nestbox/source", "--no-warnings", story, engine];
  const [program, args] =
    engine === "restate" ? ["sh", [namespace, process.execPath, ...words]] : [process.execPath, words];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  return { told: stdout.trimEnd().split("\n"), stderr, status };
}
