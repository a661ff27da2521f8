import type { CallableTool, CallGate, JsonValue, ToolContent, ToolUsage } from "@nestbox/tool";
import type { Handlers, HostEvent } from "../events.ts";
import type { NestedCallsRecord } from "../record.ts";
import type { HostTool } from "../registry.ts";

/** What a scenario may do to the host while one of its tools runs. */
export interface Control {
  register(tool: HostTool): void;
  getActiveTools(): readonly string[];
  setActiveTools(names: readonly string[]): void;
  /** Aborts the whole run, as a person does with Escape. */
  abort(): void;
}

/** What a driver has to set up for one scenario. */
export interface ScenarioSetup {
  readonly tools: readonly HostTool[];
  readonly handlers: Handlers;
  /** Set where the host has a gate. */
  readonly gate?: CallGate;
  /** One message of the model with these calls; their ids are the calls' ids. */
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly args: { readonly [key: string]: JsonValue };
  }[];
  /** Every `tool_execution_*` event, in the order in which the host tells them. */
  readonly onEvent: (event: HostEvent) => void;
  /** Called once, before the first call. */
  readonly onReady: (control: Control) => void;
}

/** What a host put on the result message of one root call. */
export interface RootResult {
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly content: readonly ToolContent[];
  readonly nestedCalls?: NestedCallsRecord;
  readonly usage?: ToolUsage;
}

/** A tool as a request of the host tells its model of it. */
export interface Declaration {
  readonly name: string;
  readonly description: string;
}

export interface ScenarioRun {
  /** What the first request declared. */
  readonly declared: readonly Declaration[];
  /** In the order of the calls. */
  readonly results: readonly RootResult[];
  /** Whether the host ended the follow-up (contract A13). */
  readonly terminated: boolean;
}

/** Runs scenarios in one kind of host. */
export interface ConformanceDriver {
  readonly name: string;
  /**
   * Which side of a deliberate difference the host is on: `pi` for Pi 1.6.0 itself, `nestbox` for a host that does
   * better where Pi has a defect.
   */
  readonly side: "pi" | "nestbox";
  run(setup: ScenarioSetup): Promise<ScenarioRun>;
}

/** What the fifth argument of `execute` has in every host. */
export interface ScenarioContext {
  readonly tools: readonly Pick<CallableTool, "name">[];
  executeTool(
    name: string,
    args: unknown,
    options?: { readonly signal?: AbortSignal; readonly onUpdate?: (partial: never) => void },
  ): Promise<ScenarioOutcome>;
}

export interface ScenarioOutcome {
  readonly toolCall: { readonly id: string };
  readonly result: { readonly content: readonly ToolContent[]; readonly structuredContent?: JsonValue };
  readonly isError: boolean;
  readonly durationMs?: number;
}
