/** Holds every fenced block of the documentation to what it claims to be. */
import { createScriptChecker } from "@nestbox/codemode/node";
import { createReviewTools } from "@nestbox/review/node";

import type { Block } from "../markdown.ts";
import { checkCode, isCode, isScript } from "./check-code.ts";
import { checkData, isData } from "./check-data.ts";
import { checkShell, isShell } from "./check-shell.ts";
import type { Fault } from "./fault.ts";
import { given, type Given } from "./given.ts";

const PI_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"];

/** Every fault of these blocks, in the order of pages and lines. `text` is not looked at. */
export async function checkBlocks(
  blocks: readonly Block[],
  context: Readonly<Record<string, Given>> = given,
): Promise<readonly Fault[]> {
  const code = blocks.filter(isCode);
  const faults = [
    ...(await checkCode(
      code.filter((block) => !isScript(block)),
      context,
    )),
    ...(await checkScripts(code)),
    ...checkData(blocks.filter(isData)),
    ...checkShell(blocks.filter(isShell)),
    ...blocks.filter((block) => !isCode(block) && !isData(block) && !isShell(block)).flatMap(otherFault),
  ];
  return faults.sort((a, b) => a.page.localeCompare(b.page) || a.line - b.line);
}

/**
 * Scripts, read and checked as `nestbox check` does: against the review tools, Pi's own, and those that the page itself
 * defines.
 */
async function checkScripts(code: readonly Block[]): Promise<readonly Fault[]> {
  const checker = createScriptChecker({ timeoutMs: 120_000 });
  const review = createReviewTools({ dangers: [] });
  const faults: Fault[] = [];
  for (const { page, line, text } of code.filter(isScript)) {
    const defined = code
      .filter((block) => block.page === page && !isScript(block))
      .flatMap((block) => [...block.text.matchAll(/^ +name: "(\w+)",$/gm)].map(([, name = ""]) => name));
    const others = [...PI_TOOLS, ...defined].map((name) => ({
      name,
      description: "",
      parameters: { type: "object" },
    }));
    const found = await checker.check({ code: text, tools: [...review, ...others] });
    if (found.kind === "not-checked") faults.push({ page, line, message: found.reason });
    if (found.kind !== "faulty") continue;
    for (const one of found.diagnostics)
      faults.push({ page, line: line + (one.line ?? 1) - 1, message: one.message });
  }
  return faults;
}

function otherFault({ page, line, language }: Block): readonly Fault[] {
  if (language === "text") return [];
  const message =
    language === ""
      ? "this block says no language"
      : `nothing checks ${language}: call it text if it is only shown`;
  return [{ page, line, message }];
}
