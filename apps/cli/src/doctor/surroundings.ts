import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { problemLine } from "../compose/gate.ts";
import { codeOf, type Finding } from "./finding.ts";
import { messageOf } from "@nestbox/tool";
import { count } from "../report/human.ts";
import type { World } from "./world.ts";

const LEAST_PI = "1.6.0";
/** Until the first release; after it: `pi install npm:@nestbox/pi`. */
const EXTENSION_INSTALL = "with a clone that was built, pi install <clone>/apps/pi";

/** Pi, which Nestbox extends and does not need. */
export function checkPi(world: World): Finding {
  const id = "pi";
  const places = (world.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => (folder === "" ? [] : [join(folder, "pi")]));
  const file = places.find((place) => existsSync(place));
  if (file !== undefined) {
    const version = piVersion(file);
    const found = `Pi ${version ?? "of unknown version"} (${file})`;
    if (version === undefined || version.localeCompare(LEAST_PI, undefined, { numeric: true }) >= 0)
      return { id, status: "ok", found };
    return {
      id,
      status: "problem",
      found,
      cause: "Nestbox needs Pi 1.6 or later.",
      fix: "npm install --global @earendil-works/pi-coding-agent@latest, with Node 22.19 or later.",
    };
  }
  return {
    id,
    status: "note",
    found: "Pi is not on PATH",
    cause: "None of the folders of PATH has a program named pi.",
    fix: `Nothing to do for nestbox itself. For the extension: npm install --global @earendil-works/pi-coding-agent, then, ${EXTENSION_INSTALL}`,
  };
}

function piVersion(file: string): string | undefined {
  for (let folder = dirname(realpathSync(file)); ; folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest)) {
      const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as {
        name?: string;
        version?: string;
      };
      if (name === "@earendil-works/pi-coding-agent") return version;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Every policy file that would count here. */
export function checkPolicies(world: World): Finding {
  const id = "policy";
  const files = world.policyStatus();
  const broken = files.filter(({ problems, state }) => problems.length > 0 || state === "broken");
  if (broken.length === 0) {
    const loaded = files
      .filter(({ state }) => state === "loaded")
      .map(({ path, rules }) => `${path} (${count(rules, "rule")})`);
    return {
      id,
      status: "ok",
      found:
        loaded.length === 0
          ? "no policy file: the annotation default counts"
          : `policy of ${loaded.join(", ")}`,
    };
  }
  return {
    id,
    status: "problem",
    found: `${broken.map(({ path }) => path).join(", ")}: refused`,
    cause: broken
      .flatMap(({ path, problems }) =>
        problems.length === 0 ? [`${path} cannot be read`] : problems.map(problemLine),
      )
      .join("; "),
    fix: `Mend the place that is named; until then nestbox run --policy refuses the file and Pi uses the strict built-in rules in its place. Try it: nestbox policy test --policy ${broken[0]?.path ?? ""}`,
  };
}

/** The port of `nestbox mcp --http`. */
export async function checkPort(world: World): Promise<Finding> {
  const id = "port";
  try {
    await world.listen(world.port);
    return { id, status: "ok", found: `port ${world.port} is free` };
  } catch (error) {
    const inUse = codeOf(error) === "EADDRINUSE";
    const denied = codeOf(error) === "EACCES";
    return {
      id,
      status: "problem",
      found: `port ${world.port} cannot be used`,
      cause: inUse
        ? `Another program listens on 127.0.0.1:${world.port} (EADDRINUSE).`
        : denied
          ? `The system does not let you listen on port ${world.port} (EACCES).`
          : messageOf(error),
      fix: inUse
        ? `End that program (to find it: lsof -i :${world.port}), or choose another port: nestbox mcp --http --port 0`
        : denied
          ? "Choose a port above 1023: nestbox mcp --http --port 0 lets the system choose."
          : codeOf(error) === "ERR_ACCESS_DENIED"
            ? "Add --allow-net, or start nestbox without --permission."
            : "Choose another: nestbox mcp --http --port 0 lets the system choose.",
    };
  }
}

/** What the review tools and `nestbox check` call. */
export async function checkHelpers(world: World): Promise<readonly Finding[]> {
  const git = await world
    .runProgram("git", ["--version"])
    .catch((error: unknown) => ({ ok: false as const, message: messageOf(error) }));
  const types = await world.checkScript("return 1");
  return [
    git.ok
      ? { id: "git", status: "ok", found: git.stdout }
      : {
          id: "git",
          status: "note",
          found: "git cannot be run",
          cause: git.message,
          fix: "Install git: collect_diff and review_diff read changes with it.",
        },
    types.kind === "clean"
      ? { id: "types", status: "ok", found: "scripts can be type-checked" }
      : {
          id: "types",
          status: "note",
          found: "scripts cannot be type-checked",
          cause: types.reason ?? types.kind,
          fix: "Install TypeScript 7 next to nestbox: npm install typescript@7",
        },
  ];
}
