import { lstatSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Finding } from "./finding.ts";
import type { World } from "./world.ts";

/** What a script must not find; run in a real sandbox. */
const PROBE = `
const reach = [];
for (const name of ["process", "require", "fetch", "WebAssembly", "SharedArrayBuffer", "XMLHttpRequest", "Deno", "Bun"])
  if (typeof globalThis[name] !== "undefined") reach.push(name);
try { if (typeof (await (0, eval)('import("node:fs")')).readFileSync === "function") reach.push("import()"); } catch {}
return reach;`;

/** Runs a script as `nestbox run` does, and looks at what it can reach. */
export async function checkSandbox(world: World, nodePath: string): Promise<Finding> {
  const id = "sandbox";
  const outcome = await world.runScript(nodePath, PROBE);
  if (!outcome.ok) {
    const link = /ERR_ACCESS_DENIED|has been restricted/.test(outcome.error.message)
      ? linkedModules(world.readableFolder())
      : undefined;
    if (link !== undefined) {
      return {
        id,
        status: "problem",
        found: "a script could not be run: its sandbox may not read its own packages",
        cause: `${link.path} is a link to ${link.target}. The sandbox process may read the folders of its packages and nothing else, and Node finds them through the link.`,
        fix: `Install the packages where they are used: remove the link, then npm install (or pnpm install) in ${dirname(link.path)}.`,
      };
    }
    return {
      id,
      status: "problem",
      found: "a script could not be run",
      cause: `${outcome.error.kind}: ${outcome.error.message}`,
      fix: "Look at the lines above first. Where they are all well, report this with the output of: nestbox doctor --json",
    };
  }
  const reach = Array.isArray(outcome.value) ? outcome.value : ["an answer that is none"];
  if (reach.length === 0)
    return {
      id,
      status: "ok",
      found: `a script ran in ${Math.round(outcome.stats.wallMs)} ms and reaches nothing but tools`,
    };
  return {
    id,
    status: "problem",
    found: "a script reaches more than tools",
    cause: `It sees ${reach.map(String).join(", ")}.`,
    fix: "Do not run scripts that you do not trust, and report this: it is a security fault (see SECURITY.md).",
  };
}

/** The first `node_modules` on the way up that is itself a link. */
function linkedModules(start: string): { readonly path: string; readonly target: string } | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules");
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      return { path, target: readlinkSync(path) };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Tries, in a process with the sandbox's flags, what a script that broke out of its isolate would try. */
const BREAKOUT = `
const tried = {};
const attempt = async (name, action) => {
  try { await action(); tried[name] = "allowed"; }
  catch (error) { tried[name] = error.code === "ERR_ACCESS_DENIED" ? "refused" : "allowed"; }
};
const fs = process.getBuiltinModule("node:fs");
await attempt("read", () => fs.readdirSync(process.argv[1]));
await attempt("write", () => fs.writeFileSync(process.argv[1] + "/nestbox-doctor-probe", "", { flag: "wx" }));
await attempt("spawn", () => process.getBuiltinModule("node:child_process").execFileSync(process.execPath, ["--version"]));
await attempt("worker", () => new (process.getBuiltinModule("node:worker_threads").Worker)("", { eval: true }));
await attempt("network", () => new Promise((resolve, reject) => {
  const socket = process.getBuiltinModule("node:net").connect({ host: "127.0.0.1", port: 9 });
  socket.on("connect", () => { socket.destroy(); resolve(); }).on("error", reject);
}));
console.log(JSON.stringify(tried));
process.exit();`;

/** Whether Node refuses the process around the isolate what it must not do. */
export async function checkPermissions(world: World, nodePath: string): Promise<Finding> {
  const id = "permissions";
  const flags = [
    "--no-warnings",
    "--permission",
    "--allow-addons",
    `--allow-fs-read=${world.readableFolder()}`,
  ];
  const end = await world.runProgram(nodePath, [...flags, "--input-type=module", "-e", BREAKOUT, world.cwd]);
  const tried = end.ok ? parse(end.stdout) : undefined;
  if (tried === undefined) {
    return {
      id,
      status: "problem",
      found: "the permissions of the sandbox process could not be tried",
      cause: end.ok ? `The probe said ${end.stdout.slice(0, 200)}` : end.message,
      fix: `Run ${nodePath} --permission -e 1 to see what is wrong with it, or name another Node with --node.`,
    };
  }
  const allowed = [...tried].flatMap(([name, answer]) => (answer === "refused" ? [] : [name]));
  const refused = [...tried.keys()].filter((name) => !allowed.includes(name));
  if (allowed.length === 0)
    return { id, status: "ok", found: `the sandbox process is refused ${refused.join(", ")}` };
  // Before Node 25 its permissions know nothing of the network; the isolate has none either way.
  if (allowed.length === 1 && allowed[0] === "network") {
    return {
      id,
      status: "note",
      found: `the sandbox process is refused ${refused.join(", ")}, not the network`,
      cause:
        "The permission flags of this Node do not cover the network. Scripts have none: their isolate has no such function.",
      fix: "Use Node 26 for the sandbox, so that a second wall stands behind the isolate.",
    };
  }
  return {
    id,
    status: "problem",
    found: `the sandbox process may ${allowed.join(", ")}`,
    cause: `${nodePath} does not refuse it under --permission.`,
    fix: "Use an official Node 24 or 26 for the sandbox: nestbox run --node /path/to/node",
  };
}

function parse(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.split("\n").at(-1) ?? "");
    if (typeof value !== "object" || value === null) return undefined;
    const tried = new Map(Object.entries(value));
    return ["read", "write", "spawn", "worker", "network"].every((name) => tried.has(name))
      ? tried
      : undefined;
  } catch {
    return undefined;
  }
}
