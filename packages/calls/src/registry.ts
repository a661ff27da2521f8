import {
  compileSchema,
  type CallableTool,
  type CompiledSchema,
  type RunnableTool,
  type ToolExposure,
  type ToolNamespace,
  type ToolSource,
} from "@nestbox/tool";
import { CallsError } from "./errors.ts";
import type { HostProblem } from "./events.ts";

/** The tools as `prepareLoadout` sees them (contract A2). */
export interface ToolLoadout {
  /** The active tools, with their own descriptions. */
  readonly declared: readonly CallableTool[];
  readonly callable: readonly CallableTool[];
  readonly registered: readonly CallableTool[];
  getExposure(name: string): ToolExposure;
  getNamespace(name: string): ToolNamespace | undefined;
  getPromptGuidelines(name: string): readonly string[];
}

export interface ToolLoadoutChanges {
  /** Model-facing descriptions by tool name. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Active tools that are not declared: they stay active and callable. */
  readonly hiddenDeclarations?: readonly string[];
}

/** What a host can register: a tool, and for an orchestrator its say in what the model sees. */
export type HostTool = RunnableTool & {
  /** Answers `ToolLoadoutChanges` or `undefined`; what it answers is not trusted. */
  readonly prepareLoadout?: (loadout: never) => unknown;
};

/** A registered tool as the owner of the host sees it. */
export interface RegisteredTool extends CallableTool {
  readonly exposure: ToolExposure;
  readonly source: ToolSource;
  readonly active: boolean;
}

export interface Registration {
  readonly tool: HostTool;
  readonly source: ToolSource;
  readonly exposure: ToolExposure;
  readonly view: CallableTool;
  readonly schema: CompiledSchema<unknown>;
  readonly outputSchema: CompiledSchema<unknown> | undefined;
}

export interface ToolRegistry {
  register(tool: HostTool, source: ToolSource): void;
  get(name: string): Registration | undefined;
  all(): readonly Registration[];
  getActive(): readonly string[];
  setActive(names: readonly string[]): void;
  isActive(name: string): boolean;
  /** The registration when other tools may call it (contract A1). */
  callable(name: string): Registration | undefined;
  callableViews(): readonly CallableTool[];
  /** The active tools as the loadout hooks want them shown. */
  shown(): readonly ShownTool[];
}

/** An active tool after the loadout hooks. */
interface ShownTool {
  /** With the description that the model reads. */
  readonly view: CallableTool;
  /** Active and callable, but left out of what the model is told. */
  readonly hidden: boolean;
}

const exposures: ReadonlySet<string> = new Set(["direct", "model-only", "codemode", "deferred", "hidden"]);
/** Longest name of a tool, in characters. A model's provider takes fewer; a host may hold tools that no model sees. */
const maxNameLength = 16_384;

export function createRegistry(onProblem: (problem: HostProblem) => void): ToolRegistry {
  const registrations = new Map<string, Registration>();
  /** In the order in which they are declared. */
  const active = new Set<string>();
  // Worked out when somebody asks: thousands of tools may be registered before anybody does.
  let activeNames: readonly string[] | undefined;
  let shown: readonly ShownTool[] | undefined;
  let callables: readonly CallableTool[] | undefined;

  const isCallable = ({ exposure, tool }: Registration): boolean =>
    exposure === "codemode" || exposure === "deferred" || (exposure === "direct" && active.has(tool.name));

  const callableViews = (): readonly CallableTool[] =>
    (callables ??= Object.freeze([...registrations.values()].filter(isCallable).map(({ view }) => view)));

  const setActive = (names: readonly string[]): void => {
    const requested = new Set(names);
    // What stays active keeps its place, so reordering the names changes no declaration.
    for (const name of active) if (!requested.has(name)) active.delete(name);
    for (const name of requested) {
      const found = registrations.get(name);
      if (found !== undefined && found.exposure !== "hidden") active.add(name);
    }
    forget();
  };

  const forget = (): void => {
    activeNames = undefined;
    callables = undefined;
    shown = undefined;
  };

  const applyLoadout = (): readonly ShownTool[] => {
    const entries = [...active].flatMap((name) => registrations.get(name) ?? []);
    const hooks = entries.filter(({ tool }) => tool.prepareLoadout !== undefined);
    if (hooks.length === 0) return entries.map(({ view }) => ({ view, hidden: false }));
    const loadout: ToolLoadout = {
      declared: entries.map(({ view }) => view),
      callable: callableViews(),
      registered: [...registrations.values()].map(({ view }) => view),
      getExposure: (name) => registrations.get(name)?.exposure ?? "direct",
      getNamespace: (name) => registrations.get(name)?.tool.namespace,
      getPromptGuidelines: (name) => registrations.get(name)?.tool.promptGuidelines ?? [],
    };
    const descriptions = new Map<string, string>();
    const hidden = new Set<string>();
    for (const { tool } of hooks) {
      try {
        // A hook written for Pi's loadout reads the same members of this one.
        const changes = tool.prepareLoadout?.(loadout as never) as ToolLoadoutChanges | undefined;
        for (const [name, text] of Object.entries(changes?.descriptions ?? {})) {
          if (typeof text === "string") descriptions.set(name, text);
        }
        for (const name of changes?.hiddenDeclarations ?? []) hidden.add(name);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        onProblem({ type: "host_problem", where: "prepare_loadout", toolName: tool.name, message });
      }
    }
    return entries.map(({ view }) => {
      const description = descriptions.get(view.name);
      const changed = description === undefined ? view : Object.freeze({ ...view, description });
      return { view: changed, hidden: hidden.has(view.name) };
    });
  };

  return {
    register(tool, source) {
      const registration = read(tool, source);
      const previous = registrations.get(tool.name);
      if (previous !== undefined && registration.exposure !== "hidden" && previous.exposure !== "hidden") {
        if (describeSource(previous.source) !== describeSource(source)) {
          throw new CallsError(
            "name-clash",
            `Tool "${tool.name}" of ${describeSource(source)} is already registered by ${describeSource(previous.source)}`,
          );
        }
      }
      registrations.set(tool.name, registration);
      // A tool that changes to `direct` or `model-only` is activated like a new one; one that was, is left as it is.
      const activate = isActivated(registration) && !(previous !== undefined && isActivated(previous));
      if (registration.exposure === "hidden") active.delete(tool.name);
      else if (activate) active.add(tool.name);
      forget();
    },
    get: (name) => registrations.get(name),
    all: () => [...registrations.values()],
    getActive: () => (activeNames ??= Object.freeze([...active])),
    setActive,
    isActive: (name) => active.has(name),
    callable(name) {
      const found = registrations.get(name);
      return found !== undefined && isCallable(found) ? found : undefined;
    },
    callableViews,
    shown: () => (shown ??= applyLoadout()),
  };
}

/** By its author's word, as it was when the tool was registered. */
export function isReadOnly({ view }: Registration): boolean {
  return view.annotations?.readOnlyHint === true;
}

function isActivated({ exposure, tool }: Registration): boolean {
  return (exposure === "direct" || exposure === "model-only") && tool.defaultActive !== false;
}

function read(tool: HostTool, source: ToolSource): Registration {
  // Any text is a name, as in Pi: what a model may be told is checked where a tool is defined.
  if (typeof tool.name !== "string" || tool.name.length > maxNameLength) {
    throw new CallsError("invalid-tool", `A tool's name is a text of at most ${maxNameLength} characters`);
  }
  const exposure = tool.exposure ?? "direct";
  if (!exposures.has(exposure)) {
    throw new CallsError(
      "invalid-tool",
      `Tool "${tool.name}" has the unknown exposure ${JSON.stringify(exposure)}`,
    );
  }
  if (typeof tool.execute !== "function") {
    throw new CallsError("invalid-tool", `Tool "${tool.name}" has no execute function`);
  }
  const compile = (schema: object, what: string): CompiledSchema<unknown> => {
    try {
      return compileSchema(schema);
    } catch (error) {
      throw new CallsError("invalid-tool", `Tool "${tool.name}": its ${what} is no JSON Schema`, {
        cause: error,
      });
    }
  };
  return {
    tool,
    source,
    exposure,
    view: Object.freeze(viewOf(tool, exposure)),
    schema: compile(tool.parameters, "parameters"),
    outputSchema: tool.outputSchema === undefined ? undefined : compile(tool.outputSchema, "outputSchema"),
  };
}

/** No `execute`: whoever holds a view cannot go past validation and the gate. */
function viewOf(tool: HostTool, exposure: ToolExposure): CallableTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: ownCopy(tool.parameters),
    exposure,
    ...(tool.label === undefined ? {} : { label: tool.label }),
    ...(tool.outputSchema === undefined ? {} : { outputSchema: ownCopy(tool.outputSchema) }),
    ...(tool.namespace === undefined ? {} : { namespace: ownCopy(tool.namespace) }),
    ...(tool.annotations === undefined ? {} : { annotations: ownCopy(tool.annotations) }),
    ...(tool.promptGuidelines === undefined ? {} : { promptGuidelines: tool.promptGuidelines }),
  };
}

/** What is handed out cannot change what was registered: a copy, frozen all the way down. */
function ownCopy<T extends object>(value: T): T {
  let copy: T;
  try {
    copy = structuredClone(value);
  } catch {
    // A schema may carry functions of its builder; JSON is all that a reader needs of it.
    copy = JSON.parse(JSON.stringify(value)) as T;
  }
  freeze(copy);
  return copy;
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) freeze(inner);
}

/** A source in words, for messages and for comparing. */
function describeSource(source: ToolSource): string {
  if (source.kind === "extension") return source.id === undefined ? "an extension" : `extension ${source.id}`;
  if (source.kind === "module") return source.path === undefined ? "a module" : `module ${source.path}`;
  return source.kind === "mcp" ? `MCP server ${source.server}` : source.kind;
}
