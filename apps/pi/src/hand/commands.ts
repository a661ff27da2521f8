import type { ExtensionAPI, ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import type { JsonObject } from "@nestbox/tool";

import { tell } from "../tell.ts";
import type { HandRuns } from "./hand-runs.ts";
import { showRun } from "./output.ts";
import { readScriptText } from "./script-text.ts";

const SCRIPT_USAGE = "Usage: /codemode <script or file>, /codemode stop";
const REVIEW_USAGE = "Usage: /review [branch, tag or commit] [--skip-tests], /review stop";

/** Registers `/codemode`, which runs a script with no model. */
export function registerCodemodeCommand(pi: ExtensionAPI, runs: HandRuns): void {
  pi.registerCommand("codemode", {
    description: "Run a script or a script file by hand, over Nestbox's tools and Pi's own",
    async handler(args, context) {
      if (args.trim() === "") return tell(context, SCRIPT_USAGE, "warning");
      if (args.trim() === "stop") return stop(runs, context);
      const script = await readScriptText(args, context.cwd);
      if (!script.ok) return tell(context, script.message, "error");
      const run = { name: "codemode", input: { code: script.code }, title: `/codemode ${script.title}` };
      return runAndShow(run, { pi, runs, context });
    },
  });
}

/** Registers `/review`, which runs `review_diff` with no model. */
export function registerReviewCommand(pi: ExtensionAPI, runs: HandRuns): void {
  pi.registerCommand("review", {
    description: "Review the diff by hand: the project's own checks, failing tests and dangerous commands",
    async handler(args, context) {
      const words = args.trim().split(/\s+/).filter(Boolean);
      if (words[0] === "stop") return stop(runs, context);
      const bases = words.filter((word) => word !== "--skip-tests");
      const [base] = bases;
      if (bases.length > 1 || base?.startsWith("-") === true) return tell(context, REVIEW_USAGE, "warning");
      const input = {
        ...(base === undefined ? {} : { base }),
        ...(words.includes("--skip-tests") ? { skipTests: true } : {}),
      };
      const title = `/review${words.length === 0 ? "" : ` ${words.join(" ")}`}`;
      return runAndShow({ name: "review_diff", input, title }, { pi, runs, context });
    },
  });
}

interface Run {
  readonly name: string;
  readonly input: JsonObject;
  readonly title: string;
}

interface Surroundings {
  readonly pi: ExtensionAPI;
  readonly runs: HandRuns;
  readonly context: ExtensionCommandContext;
}

async function runAndShow({ name, input, title }: Run, { pi, runs, context }: Surroundings): Promise<void> {
  const ran = await runs.run(name, input, context);
  if (ran.kind === "refused") tell(context, ran.message, "warning");
  else if (ran.kind === "ran") showRun(title, ran.outcome, { pi, context });
}

function stop(runs: HandRuns, context: ExtensionCommandContext): void {
  if (!runs.stop()) tell(context, "Nothing runs by hand.");
}
