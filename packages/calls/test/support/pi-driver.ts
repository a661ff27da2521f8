import {
  createAgentSession,
  DefaultResourceLoader,
  ModelRuntime,
  SessionManager,
  SettingsManager,
  type ExtensionAPI,
  type ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConformanceDriver, Declaration, ScenarioSetup } from "@nestbox/calls/conformance";
import { declarationsOf } from "./declarations.ts";
import { resultsInOrder } from "./results-in-order.ts";
import type { HostEvent, HostTool } from "@nestbox/calls";

/** A real coding-agent session with a scripted model, in a folder of its own. */
export const piDriver: ConformanceDriver = {
  name: "Pi 1.6.0",
  side: "pi",
  async run(setup) {
    const folder = await mkdtemp(join(tmpdir(), "nestbox-calls-"));
    try {
      return await runIn(folder, setup);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** The tool's shape is Pi's own; only the types of the schemas differ. */
function definition(tool: HostTool): ToolDefinition {
  return tool as unknown as ToolDefinition;
}

async function runIn(
  folder: string,
  setup: ScenarioSetup,
): Promise<Awaited<ReturnType<ConformanceDriver["run"]>>> {
  const faux = fauxProvider();
  const calls = setup.calls.map(({ id, name, args }) => fauxToolCall(name, { ...args }, { id }));
  let declared: readonly Declaration[] = [];
  faux.setResponses([
    ({ messages }) => {
      declared = declarationsOf(messages);
      return fauxAssistantMessage(calls, { stopReason: "toolUse" });
    },
    fauxAssistantMessage("done"),
  ]);
  const modelRuntime = await ModelRuntime.create({
    authPath: join(folder, "auth.json"),
    modelsPath: join(folder, "models.json"),
  });
  modelRuntime.registerNativeProvider(faux.provider);
  const settingsManager = SettingsManager.inMemory();

  let api: ExtensionAPI | undefined;
  const resourceLoader = new DefaultResourceLoader({
    cwd: folder,
    agentDir: folder,
    settingsManager,
    noSkills: true,
    noContextFiles: true,
    noPromptTemplates: true,
    noThemes: true,
    extensionFactories: [
      (pi: ExtensionAPI) => {
        api = pi;
        for (const tool of setup.tools) pi.registerTool(definition(tool));
        for (const handler of setup.handlers.tool_call ?? []) {
          pi.on("tool_call", async (event, ctx) => (await handler(event, ctx as never)) ?? undefined);
        }
        for (const handler of setup.handlers.tool_result ?? []) {
          pi.on(
            "tool_result",
            async (event, ctx) => (await handler(event as never, ctx as never)) ?? undefined,
          );
        }
      },
    ],
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd: folder,
    agentDir: folder,
    modelRuntime,
    model: faux.getModel(),
    settingsManager,
    resourceLoader,
    sessionManager: SessionManager.inMemory(folder),
    noTools: "builtin",
  });
  try {
    await session.bindExtensions({});
    setup.onReady({
      register: (tool) => api?.registerTool(definition(tool)),
      getActiveTools: () => api?.getActiveTools() ?? [],
      setActiveTools: (names) => api?.setActiveTools([...names]),
      abort: () => void session.abort(),
    });
    session.subscribe((event) => {
      if (event.type.startsWith("tool_execution_")) setup.onEvent(event as HostEvent);
    });
    await session.prompt("go");
    const transcript = session.sessionManager
      .getBranch()
      .flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    return {
      results: resultsInOrder(setup.calls, transcript),
      declared,
      terminated: faux.state.callCount === 1,
    };
  } finally {
    session.dispose();
  }
}
