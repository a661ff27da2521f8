/** Builds and packs every public package into `tarballs/`, for whoever wants to use them before they are published. */
import { mkdirSync, rmSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import { packAll, run } from "./release/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = `${root}tarballs`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
// A build for oneself tells nobody about it.
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
run("pnpm", ["run", "build", "--ui=stream", "--output-logs=errors-only"], {
  cwd: root,
  env,
  stdio: "inherit",
});
for (const file of packAll(root, folder).values()) console.log(relative(root, file));
