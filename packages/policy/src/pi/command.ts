import type { Grant } from "../gate/grant.ts";
import { shorten } from "../gate/display.ts";
import type { PolicyFileStatus } from "../node/policy-file.ts";
import { type PersonUi, tellPerson } from "./tell-person.ts";
import type { PolicySession } from "./session.ts";

/** What `/policy` shows, as data: nothing in it is a secret, texts are escaped. */
export interface PolicyState {
  /** `dry-run`: what would have been denied runs all the same, and is on record. */
  readonly mode: "enforce" | "dry-run";
  readonly files: readonly PolicyFileStatus[];
  readonly decisions: readonly {
    readonly time: number;
    readonly callId: string;
    readonly tool: string;
    readonly chain: readonly string[];
    readonly effect: "allow" | "deny";
    readonly rule: string;
    readonly layer: string;
    readonly answer?: string;
    readonly matched: string;
    readonly wouldBe?: "deny";
  }[];
  readonly grants: readonly Grant[];
  readonly waiting: number;
}

export function policyState(session: PolicySession): PolicyState {
  return {
    mode: session.mode,
    files: session.status(),
    decisions: session.decisions.map(({ time, request, verdict, decision, answer, wouldBe }) => ({
      time,
      callId: request.callId,
      tool: shorten(request.tool.name, 200),
      chain: request.chain.map((link) => shorten(link.toolName, 200)),
      effect: verdict.effect,
      rule: verdict.decision.rule,
      layer: verdict.decision.layer,
      matched: decision?.matched ?? "",
      ...(answer === undefined ? {} : { answer }),
      ...(wouldBe === undefined ? {} : { wouldBe }),
    })),
    grants: session.gate.grants.list(),
    waiting: session.gate.waiting,
  };
}

/** The state as lines of text: files, the last ten decisions, the grants with their ids. */
export function policyLines(state: PolicyState): readonly string[] {
  const lines: string[] = [];
  if (state.mode === "dry-run")
    lines.push("Dry run: nothing is blocked or asked, except what would write the policy's own files");
  lines.push("Policy files");
  if (state.files.length === 0) lines.push("  (an engine of the host's own)");
  for (const file of state.files) {
    lines.push(`  ${file.layer}: ${file.path} · ${file.state} · ${file.rules} rules`);
    for (const problem of file.problems) lines.push(`    line ${problem.line}: ${problem.message}`);
  }
  lines.push("Last decisions");
  for (const item of state.decisions.slice(-10)) {
    const answer = item.answer === undefined ? "" : ` (${item.answer})`;
    const would = item.wouldBe === undefined ? "" : " · enforcing would deny";
    lines.push(
      `  ${item.effect}${answer} ${[...item.chain, item.tool].join(" › ")}: ${item.matched} · ${item.rule}${would}`,
    );
  }
  lines.push("Remembered answers");
  if (state.grants.length === 0) lines.push("  none");
  for (const grant of state.grants) lines.push(`  ${grantLine(grant)}`);
  return lines.map((line) => shorten(line));
}

export function grantLine(grant: Grant): string {
  const until =
    grant.expiresAt === undefined ? grant.scope : `until ${new Date(grant.expiresAt).toISOString()}`;
  return shorten(`${grant.id} ${grant.kind} ${grant.tool}: ${grant.shown} · ${until} · ${grant.folder}`);
}

/** What `/policy` needs of a command's context. */
export interface CommandUi extends PersonUi {
  readonly ui: PersonUi["ui"] & {
    select(title: string, options: string[]): Promise<string | undefined>;
  };
}

/** `/policy` shows the state, `/policy revoke` lets one grant be chosen, `/policy revoke <id>` names it. */
export async function runPolicyCommand(
  args: string,
  session: PolicySession,
  context: CommandUi,
): Promise<void> {
  const [verb = "", id] = args.trim().split(/\s+/);
  if (verb === "" || verb === "state") {
    tellPerson(context, policyLines(policyState(session)).join("\n"), "info");
    return;
  }
  if (verb !== "revoke") {
    tellPerson(context, "Usage: /policy, /policy revoke [id]", "warning");
    return;
  }
  const chosen = id ?? (await chooseGrant(session.gate.grants.list(), context));
  if (chosen === undefined) return;
  const revoked = await session.gate.grants.revoke(chosen);
  if (revoked) await session.gate.note("grant-revoked", chosen);
  tellPerson(
    context,
    revoked ? `Revoked ${shorten(chosen, 200)}.` : `No remembered answer is called ${shorten(chosen, 200)}.`,
    revoked ? "info" : "warning",
  );
}

async function chooseGrant(grants: readonly Grant[], context: CommandUi): Promise<string | undefined> {
  if (grants.length === 0) {
    tellPerson(context, "Nothing is remembered.", "info");
    return undefined;
  }
  const lines = grants.map(grantLine);
  if (!context.hasUI) {
    tellPerson(context, ["Say which: /policy revoke <id>", ...lines.map((line) => `  ${line}`)].join("\n"));
    return undefined;
  }
  const line = await context.ui.select("Revoke which remembered answer?", lines);
  return line === undefined ? undefined : grants[lines.indexOf(line)]?.id;
}
