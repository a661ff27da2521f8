import { createToolHost, type HostListener, type ToolHost } from "@nestbox/calls";
import type { Approver } from "@nestbox/policy";
import type { OpenPolicy } from "@nestbox/policy/node";
import type { CallGate, PauseSource } from "@nestbox/tool";

import { type ConfiguredOptions, withConfig, type WithConfig } from "../config/with-config.ts";
import { type Streams, tellOn } from "../output.ts";
import { type Answers, createAnswers } from "./answers.ts";
import { connectServers } from "./connect-servers.ts";
import { createDryRun, type DryRun } from "./dry-run.ts";
import { openGate, openGoodPolicy } from "./gate.ts";
import { registerTools } from "./register-tools.ts";
import { tellUnreadData } from "./tell-unread-data.ts";
import { workingFolder } from "./working-folder.ts";

/** What every command that makes calls is given. */
export interface HostChoice extends ConfiguredOptions {
  readonly mcp?: readonly string[];
  /** Only what a person types counts: a config file loosens nothing. */
  readonly policyDryRun?: boolean;
  readonly cwd?: string;
}

export interface HostContext {
  readonly streams: Streams;
  readonly signal: AbortSignal;
  /** Who answers an ask. Absent: an ask is a deny. */
  readonly approver?: Approver | undefined;
  /** A person chose at a question that all of it is to stop. */
  readonly onStop?: () => void;
  readonly onEvent?: HostListener;
  /** Makes what decides every call, in the place of one gate for all of them; the policy is the one to judge by. */
  readonly gateOf?: (policy: OpenPolicy) => CallGate;
}

/** A host with the tools, the servers and the policy of one command line. */
export interface OpenHost<T extends HostChoice> extends AsyncDisposable {
  readonly host: ToolHost;
  readonly policy: OpenPolicy;
  /** With the defaults of the config file behind them. */
  readonly options: WithConfig<T>;
  /** Where the command was started. */
  readonly start: string;
  /** Working folder of the tools. */
  readonly cwd: string;
  /** Of a dry run: what it has let through. */
  readonly dryRun: DryRun | undefined;
  /** What a person answered. */
  readonly answers: Answers;
  /** Says something on standard error, on one line. */
  readonly warn: (message: string) => void;
}

/** Opens all that calls need, by what was given and the config file. Throws `UsageError`; nothing is left open then. */
export async function openHost<T extends HostChoice>(given: T, context: HostContext): Promise<OpenHost<T>> {
  return await openConfiguredHost(given, withConfig(given, process.cwd()), context);
}

/** The same for whoever has read the config file already. */
export async function openConfiguredHost<T extends HostChoice>(
  given: T,
  options: WithConfig<T>,
  context: HostContext,
): Promise<OpenHost<T>> {
  const { streams, signal, approver, onEvent, onStop } = context;
  const start = process.cwd();
  const cwd = workingFolder(options.cwd, start);
  const warn = tellOn(streams);
  const dryRun = given.policyDryRun === true ? createDryRun() : undefined;
  if (dryRun !== undefined)
    warn(
      "dry run: the policy denies nothing and asks nobody, except about its own files; every call has its effects",
    );
  const answers = createAnswers();
  const files = { files: options.policyFiles, start, cwd };
  let gate: CallGate & { readonly pauses?: PauseSource };
  let policy: OpenPolicy;
  if (context.gateOf === undefined) {
    ({ gate, policy } = openGate({
      ...files,
      onError: warn,
      onDecision: answers.onDecision,
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(approver === undefined ? {} : { approver }),
      ...(onStop === undefined ? {} : { onStop }),
    }));
  } else {
    policy = openGoodPolicy(files);
    gate = context.gateOf(policy);
  }
  const host = createToolHost({
    cwd,
    gate,
    ...(gate.pauses === undefined ? {} : { pauses: gate.pauses }),
    ...(onEvent === undefined ? {} : { onEvent }),
  });
  // In the order of opening; closed the other way round.
  const open: AsyncDisposable[] = [host];
  const close = async (): Promise<void> => {
    for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
  };
  try {
    open.push(await registerTools(host, options, { start, cwd, policy, signal, warn }));
    tellUnreadData(host, warn);
    open.push(await connectServers(host, options.mcp ?? [], { start, signal, warn }));
  } catch (error) {
    await close();
    throw error;
  }
  return { host, policy, options, start, cwd, dryRun, answers, warn, [Symbol.asyncDispose]: close };
}
