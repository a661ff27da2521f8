/**
 * What the blocks of a page take for granted. A block that is a part of something shows names that it does not declare;
 * here they get their types, so that the rest of the block is checked against them.
 */
export interface Given {
  /** Names and their types, in the words of TypeScript. */
  readonly names?: Readonly<Record<string, string>>;
  /** Files that the page's blocks are cut from: each line of a block stands there, in this order. */
  readonly quotes?: readonly string[];
}

/** The type of an export of an example, as a block sees it. */
function example(file: string, type: string): string {
  return `import("../../../../../examples/${file}").${type}`;
}

const TOOLS = `readonly import("@nestbox/calls").HostTool[]`;
const CALLER = `import("@nestbox/tool").ToolCaller`;
const STREAM = `import("@earendil-works/pi-agent-core").StreamFn`;

export const given: Readonly<Record<string, Given>> = {
  "packages/codemode/README.md": { names: { caller: CALLER } },
  "packages/codemode/durable.md": {
    names: {
      runner: `import("@nestbox/codemode").ScriptRunner`,
      caller: CALLER,
      callerFor: `import("@nestbox/codemode/durable").CallerFor`,
      code: "string",
      path: "string",
      folder: "string",
      openSqliteJournal: `typeof import("@nestbox/codemode/durable/sqlite").openSqliteJournal`,
      test: "(title: string, run: () => Promise<void>) => void",
      readFileSync: `typeof import("node:fs").readFileSync`,
      writeFileSync: `typeof import("node:fs").writeFileSync`,
    },
  },
  "docs/how-to/durable-runs.md": {
    names: { tools: TOOLS, code: "string", databaseUrl: "string", ingressUrl: "string", adminUrl: "string" },
  },
  "packages/policy/README.md": { quotes: ["examples/review-guard/src/extension.ts"] },
  "examples/agent-nested-calls/README.md": {
    names: {
      Agent: `typeof import("@earendil-works/pi-agent-core").Agent`,
      nestedCalls: `typeof import("@nestbox/calls/agent").nestedCalls`,
      initialState: `NonNullable<import("@earendil-works/pi-agent-core").AgentOptions["initialState"]>`,
      beforeToolCall: `NonNullable<import("@earendil-works/pi-agent-core").AgentOptions["beforeToolCall"]>`,
      streamFn: STREAM,
      createScriptTool: `typeof ${example("agent-nested-calls/src/script-tool.ts", "createScriptTool")}`,
      runner: `import("@nestbox/codemode").ScriptRunner`,
      warehouseTools: TOOLS,
      events: `import("@nestbox/calls/agent").NestedAgentEvent[]`,
    },
  },
  "examples/guard/README.md": { quotes: ["examples/guard/src/extension.ts"] },
  "examples/mcp-client/README.md": {
    quotes: ["examples/mcp-client/src/stdio-server.ts", "examples/mcp-client/test/mcp-client.test.ts"],
  },
  "examples/remote-approver/README.md": {
    names: {
      deployHost: `typeof ${example("remote-approver/src/deploy-host.ts", "deployHost")}`,
      httpApprover: `typeof ${example("remote-approver/src/http-approver.ts", "httpApprover")}`,
      url: "string",
      token: "string",
      deploy: "(version: string, target: string) => Promise<void>",
    },
  },
  "examples/review-guard/README.md": { quotes: ["examples/review-guard/src/extension.ts"] },
};
