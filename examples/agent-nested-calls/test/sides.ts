import { createModels } from "@earendil-works/pi-ai";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import type { ScriptRunner } from "@nestbox/codemode";
import { createCodemodeExtension } from "@nestbox/codemode/pi";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { createWarehouseAgent } from "../src/warehouse-agent.ts";
import { createWarehouseExtension } from "../src/warehouse-extension.ts";

/** What one script did in one host, whose model then calls the hidden tool itself. */
export interface Seen {
  readonly isError: boolean;
  /** What the model reads, without the time it took. */
  readonly text: string;
  /** `call-1/2 order error More than…`, without durations. */
  readonly record: readonly string[];
  readonly complete: boolean | undefined;
  /** `start call-1/2 order < call-1`, of the nested calls. */
  readonly events: readonly string[];
  /** The results in the transcript: of the script, and of the model's own call of the hidden tool. */
  readonly results: readonly string[];
  readonly orders: readonly string[];
}

function newWarehouse() {
  const stock = new Map([
    ["lamp", { pieces: 3, cents: 1990 }],
    ["chair", { pieces: 40, cents: 4900 }],
  ]);
  return { stock, orders: [] as string[] };
}

/** The script in the low-level agent, by the example's own script tool. */
export async function inAgent(runner: ScriptRunner, code: string): Promise<Seen> {
  const faux = fauxProvider();
  faux.setResponses([
    fauxAssistantMessage(fauxToolCall("script", { code }, { id: "call-1" }), { stopReason: "toolUse" }),
    fauxAssistantMessage(fauxToolCall("supplier_password", {}, { id: "call-2" }), { stopReason: "toolUse" }),
    fauxAssistantMessage("Done."),
  ]);
  const models = createModels();
  models.setProvider(faux.provider);
  const warehouse = newWarehouse();
  const streamFn = models.streamSimple.bind(models);
  const { agent, calls } = createWarehouseAgent({ model: faux.getModel(), streamFn, runner, warehouse });
  const events: unknown[] = [];
  calls.subscribe((event) => void events.push(event));
  await agent.prompt("go");
  await calls.dispose();
  return seen(agent.state.messages, events, warehouse.orders);
}

/** The script in a session of the coding agent, by `codemode`. */
export async function inSession(runner: ScriptRunner, code: string): Promise<Seen> {
  const warehouse = newWarehouse();
  await using pi = await scriptedPiSession({
    noTools: "builtin",
    extensions: [createCodemodeExtension({ runner, active: true }), createWarehouseExtension(warehouse)],
  });
  await pi.prompt("go", [call("codemode", { code }), call("supplier_password"), "Done."]);
  return seen(pi.transcript(), pi.events, warehouse.orders);
}

interface ResultMessage {
  readonly role: "toolResult";
  readonly toolCallId: string;
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly nestedCalls?: {
    readonly complete: boolean;
    readonly calls: readonly {
      readonly id: string;
      readonly name: string;
      readonly arguments?: unknown;
      readonly status: string;
      readonly error?: string;
    }[];
  };
}

interface NestedEvent {
  readonly type: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly parentToolCallId: string;
  readonly isError?: boolean;
}

function seen(
  messages: readonly { readonly role: string }[],
  events: readonly unknown[],
  orders: readonly string[],
): Seen {
  const results = messages.filter((message): message is ResultMessage => message.role === "toolResult");
  const [result] = results;
  if (result === undefined) throw new Error("No result");
  return {
    isError: result.isError,
    text: textOf(result).replace(/Wall time [\d.]+ seconds/, "Wall time"),
    record: (result.nestedCalls?.calls ?? []).map(({ id, name, arguments: args, status, error = "" }) =>
      `${id} ${name} ${JSON.stringify(args)} ${status} ${error}`.trim(),
    ),
    complete: result.nestedCalls?.complete,
    events: events
      .filter(isNested)
      .map(({ type, toolCallId, toolName, parentToolCallId, isError }) =>
        [
          type.replace("tool_execution_", ""),
          toolCallId,
          toolName,
          ...(isError === undefined ? [] : [isError ? "error" : "ok"]),
          `< ${parentToolCallId}`,
        ].join(" "),
      ),
    results: results.map((one) =>
      one === result ? one.toolCallId : `${one.toolCallId} ${one.isError ? "error" : "ok"} ${textOf(one)}`,
    ),
    orders,
  };
}

function textOf({ content }: ResultMessage): string {
  return content.map(({ text = "" }) => text).join("\n");
}

function isNested(event: unknown): event is NestedEvent {
  return typeof event === "object" && event !== null && "parentToolCallId" in event && "toolName" in event;
}
