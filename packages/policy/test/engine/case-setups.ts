import type { CallRequest, ToolSource } from "@nestbox/tool";

import type { CallHistory, EngineOptions, PolicyLayer } from "../../src/index.ts";
import { fingerprint } from "../../src/gate/fingerprint.ts";
import { createMemoryFs, type MemoryLayout } from "./memory-fs.ts";
import { layer, type PolicyText } from "./support.ts";

/** What a case's policy and layout are in real files. */
export interface CaseSetup {
  /** The user's policy file. */
  readonly user?: PolicyText;
  readonly managed?: PolicyText;
  readonly project?: PolicyText;
  /** Layers made by the case itself. */
  readonly layers?: readonly PolicyLayer[];
  readonly files?: MemoryLayout;
  readonly foldsCase?: boolean;
  readonly options?: Partial<EngineOptions>;
  readonly request?: Partial<Omit<CallRequest, "tool" | "input">> & {
    readonly source?: ToolSource;
    readonly tool?: Partial<CallRequest["tool"]>;
  };
  readonly history?: CallHistory;
}

const allow = (id: string, command: unknown, more: object = {}) => ({
  id,
  effect: "allow",
  command,
  ...more,
});
const deny = (id: string, command: unknown, more: object = {}) => ({ id, effect: "deny", command, ...more });
const prefix = (...all: readonly string[]) => all.map((words) => ({ prefix: words }));
const rmRecursive = deny("no-rm-r", { program: "rm", flags: { any: "--recursive" } });
const noRm = deny("no-rm", { program: "rm" });
const forcePush = { id: "no-force", effect: "deny", ref: { force: true } };
const pushPolicy = { rules: [forcePush, allow("push", prefix("git push"))] };
const outside = (effect: string, ...action: readonly string[]) => ({
  id: "outside",
  effect,
  path: { outside: true, ...(action.length === 0 ? {} : { action }) },
});
const bashAllowed = { fallback: { bash: "allow" } };
const mcp = (server: string) => ({ source: { kind: "mcp", server } as const });
const windows = { platform: "win32", home: "C:/Users/u" } as const;

const past = (toolName: string, input: Record<string, string>, resultHash: string, index: number) => ({
  callId: `past-${index}`,
  rootId: `past-${index}`,
  toolName,
  inputHash: fingerprint(input),
  resultHash,
  state: "done" as const,
  writes: [],
});

export const caseSetups: Readonly<Record<string, CaseSetup>> = {
  A01: { user: { rules: [allow("cd", { program: "cd" })] } },
  A05: { user: { rules: [allow("status", { exact: "git status" })] } },
  A07: { user: { rules: [deny("no-curl", { program: "curl" })] } },
  A09: { user: { rules: [allow("test", prefix("npm run test"))] } },
  A11: { user: { ...bashAllowed, rules: [rmRecursive] } },
  A13: { user: { rules: [rmRecursive] } },
  A15: {
    user: {
      rules: [
        allow("read", [
          { program: "git", subcommand: "status" },
          { program: "git", subcommand: "diff", readOnly: true },
          { program: "head" },
        ]),
      ],
    },
  },
  B02: { user: { rules: [allow("fetch", prefix("git fetch"))] } },
  B04: { user: { rules: [allow("date", { program: "date" })] } },
  B06: { user: { ...bashAllowed, rules: [rmRecursive] } },
  B08: { user: { ...bashAllowed, rules: [noRm] } },
  B10: { user: { ...bashAllowed, rules: [deny("no-stash", prefix("git stash"))] } },
  B12: { user: pushPolicy },
  B14: { user: { ...bashAllowed, rules: [rmRecursive] } },
  B16: { user: { rules: [allow("cat", { program: "cat" })] }, files: { "/w/cat": "#!", "/w/notes.txt": "" } },
  B18: { user: { rules: [allow("ssh-staging", { program: "ssh" }, { host: "staging" })] } },
  B20: { user: { rules: [allow("fd", { program: "fd" })] } },
  B22: { user: { rules: [allow("prettier", prefix("npx prettier"))] } },
  C01: { user: { ...bashAllowed, rules: [rmRecursive] } },
  C03: { user: { ...bashAllowed, rules: [rmRecursive] } },
  C05: { user: { ...bashAllowed, rules: [noRm] } },
  C07: { user: { rules: [allow("diff", prefix("git diff")), outside("deny")] } },
  C09: { user: { rules: [allow("echo", { program: "echo" })] } },
  C11: { user: { rules: [allow("echo", { program: "echo" }), noRm] } },
  C13: { user: { rules: [allow("ls", { program: "ls" }), noRm] } },
  C15: {
    user: {
      rules: [
        allow("issue", prefix("gh issue create")),
        { id: "tmp", effect: "allow", path: { glob: "/tmp/**", action: "read" } },
      ],
    },
    files: { "/tmp/b.md": "", "/w": null },
  },
  C17: { user: pushPolicy },
  D01: { user: { rules: [allow("echo", { program: "echo" }), noRm] } },
  D03: { user: { rules: [allow("cat", { program: "cat" }), noRm] } },
  D05: { user: { rules: [allow("cat", { program: "cat" }), noRm] } },
  D07: {
    user: {
      rules: [{ ...allow("commit", prefix("git commit")), effect: "ask" }, allow("cat", { program: "cat" })],
    },
  },
  D09: { user: { rules: [allow("script", { program: "python3", operands: { min: 1, like: "*.py" } })] } },
  D11: { user: { rules: [allow("test", { program: ["test", "["] })] } },
  D13: { user: { rules: [allow("ls", { program: "ls" }), allow("hash", { program: "hash" })] } },
  D15: {
    user: {
      rules: [
        allow("bash-c", { program: "bash", flags: { only: ["-c"] } }),
        allow("nothing", { exact: ":" }),
      ],
    },
  },
  D17: { user: { ...bashAllowed, rules: [outside("ask", "write")] } },
  E01: { user: pushPolicy },
  E03: { user: pushPolicy },
  E05: { user: pushPolicy, files: { "/w/sub/.git/config": "" } },
  E07: {
    user: {
      rules: [allow("push", prefix("git push")), { id: "not-main", effect: "deny", ref: { name: "main" } }],
    },
  },
  E09: { user: { rules: [allow("git", { program: "git", subcommand: "diff", readOnly: true })] } },
  E11: { user: { rules: [allow("status", { program: "git", subcommand: "status" })] } },
  E13: { user: { rules: [allow("grep", { program: "git", subcommand: "grep" })] } },
  E15: { user: { rules: [allow("remotes", { exact: "git remote -v" })] } },
  E17: {
    user: {
      rules: [
        allow("checkout", { program: "git", subcommand: "checkout", operands: { max: 1 } }),
        {
          ...allow("force", { program: "git", subcommand: "checkout", flags: { any: ["-f", "-B"] } }),
          effect: "ask",
        },
      ],
    },
    files: { "/w/.git/refs/heads/main": "" },
  },
  E19: { user: { rules: [allow("log", { program: "git", subcommand: "log" })] } },
  F02: {
    user: {
      rules: [
        allow("sed", { program: "sed", readOnly: true }),
        { ...allow("in-place", { program: "sed", flags: { any: "-i" } }), effect: "ask" },
      ],
    },
  },
  F04: { user: { rules: [allow("sed", { program: "sed", readOnly: true })] } },
  F06: {
    user: { rules: [allow("rg", { program: "rg" })] },
    files: { "/w/src/a.ts": "" },
    options: { env: { RIPGREP_CONFIG_PATH: "/home/u/.ripgreprc" } },
  },
  F08: { user: { rules: [allow("sort", { program: "sort" })] } },
  F10: {
    user: {
      rules: [{ id: "writes", effect: "allow", tool: "write", path: { glob: "**", action: "write" } }],
    },
  },
  F12: { user: { rules: [allow("version", { exact: "javac -version" })] } },
  F14: {
    user: { rules: [allow("curl", { program: "curl" }, { host: "x.test" }), outside("deny", "write")] },
  },
  F16: { user: { rules: [allow("build", { exact: "rm -rf build/" })] } },
  G02: { user: { ...bashAllowed, rules: [outside("ask")] } },
  G04: {
    user: {
      rules: [
        allow("make", { program: ["echo", "mkdir"] }),
        { id: "writes", effect: "ask", path: { glob: "**", action: "write" } },
      ],
    },
  },
  G06: { user: { rules: [allow("test", { exact: "npm test" }), allow("tail", { program: "tail" })] } },
  G08: {
    user: {
      rules: [
        allow("sort", { program: "sort" }),
        { id: "out", effect: "deny", path: { glob: "out.txt", action: "write" } },
      ],
    },
  },
  G10: {
    user: {
      rules: [
        allow("cat", { program: "cat" }),
        { id: "src", effect: "allow", path: { glob: "src/**", action: "write" } },
      ],
    },
    files: { "/w/src/a.ts": "" },
  },
  H02: {
    user: {
      rules: [
        { id: "ssh", effect: "deny", path: { glob: "~/.ssh/**", action: "write" } },
        { id: "tmp", effect: "allow", path: { glob: "/tmp/**", action: "write" } },
      ],
    },
    files: { "/home/u/.ssh/id_rsa": "", "/tmp/sshlink": { link: "/home/u/.ssh" }, "/w": null },
  },
  H04: {
    user: {
      rules: [
        { id: "in", effect: "allow", path: { outside: false, action: "read" } },
        outside("deny", "read"),
      ],
    },
    files: { "/w/a": "", "/w-secret/key": "" },
  },
  H06: {
    user: { rules: [{ id: "env", effect: "deny", path: ".env" }] },
    files: { "/w/.env": "" },
    foldsCase: true,
  },
  H08: {
    user: { rules: [{ id: "secret", effect: "deny", path: "C:/Work/Secret.txt" }] },
    files: { "C:/Work/Secret.txt": "" },
    foldsCase: true,
    options: { ...windows, cwd: "C:\\Work" },
    request: { cwd: "C:\\Work" },
  },
  H10: {
    user: { rules: [{ id: "ssh", effect: "deny", path: "~/.ssh/**" }] },
    options: { ...windows, cwd: "C:\\w" },
    request: { cwd: "C:\\w" },
    foldsCase: true,
    files: { "C:/w": null },
  },
  H12: {
    user: {
      rules: [
        { id: "pi", effect: "deny", path: { glob: ".pi/**", action: "write" } },
        allow("shell", { program: ["cd", "echo"] }),
        { id: "in", effect: "allow", path: { outside: false, action: "write" } },
      ],
    },
    files: { "/w/.pi/settings.json": "{}" },
  },
  H14: {
    user: {
      rules: [
        { id: "secrets", effect: "deny", path: [".env", "*.pem", "id_rsa"] },
        allow("shell", { program: ["cd", "grep"] }),
      ],
    },
    files: { "/w/server/tests/A.php": "" },
  },
  H16: { user: { rules: [outside("deny"), allow("shell", { program: ["head", "ls"] })] } },
  H18: { user: { rules: [outside("deny"), allow("grep", { program: "grep" })] } },
  H20: { user: { rules: [outside("ask"), { id: "env", effect: "deny", path: ".env" }] } },
  H22: {
    user: { rules: [{ id: "env", effect: "deny", path: { glob: ".env*", action: "read" } }] },
    files: { "/w/.env": "KEY=1", "/w/a.ts": "" },
  },
  H24: {
    user: {
      rules: [
        { id: "secrets", effect: "deny", path: { glob: [".env", "~/.aws/**"], action: "read" } },
        allow("search", { program: ["rg", "grep"] }),
      ],
    },
    files: { "/w/.env": "", "/home/u/.aws/credentials": "" },
  },
  H26: {
    user: {
      tools: { apply_patch: { patch: { argument: "patch" } } },
      rules: [
        { id: "src", effect: "allow", path: { glob: "src/**", action: "write" } },
        { id: "protected", effect: "deny", path: { glob: "protected/**", action: ["write", "delete"] } },
      ],
    },
    request: { source: { kind: "extension" } },
  },
  H28: { user: { rules: [outside("deny")] } },
  H30: {
    user: {
      rules: [
        { id: "secrets", effect: "deny", path: "secrets/**" },
        { id: "in", effect: "allow", path: { outside: false, action: "read" } },
      ],
    },
    files: { "/w/secrets/key": "" },
  },
  H32: {
    user: {
      rules: [outside("deny"), { id: "in", effect: "allow", path: { outside: false, action: "write" } }],
    },
    files: { "/w/outbox": { link: "/tmp/OUTSIDE" }, "/tmp/OUTSIDE": null },
  },
  I01: {
    user: {
      tools: { mcp__fs__read_file: { paths: [{ argument: "path", action: "read" }] } },
      rules: [{ id: "config", effect: "deny", path: { glob: "application.yml", action: "read" } }],
    },
    request: mcp("fs"),
  },
  I03: {
    user: { trust: { mcpServers: ["y"] } },
    request: { ...mcp("x"), tool: { annotations: { readOnlyHint: true } } },
  },
  I05: { user: {}, request: mcp("x") },
  I07: {
    user: { rules: [{ id: "foo", effect: "allow", tool: { server: "foo.bar" } }] },
    request: mcp("foo_bar"),
  },
  I09: {
    user: { rules: [{ id: "cache", effect: "allow", tool: { server: "cachebro", name: "*" } }] },
    request: mcp("cachebro"),
  },
  I11: {
    user: { tools: { exec_command: { shell: { argument: "cmd", cwd: "workdir" } } }, rules: [rmRecursive] },
    request: { source: { kind: "extension" } },
  },
  I13: {
    user: { fallback: { powershell: "allow" }, rules: [outside("ask")] },
    options: { ...windows, cwd: "C:\\w" },
    request: { cwd: "C:\\w" },
  },
  J01: {
    user: { rules: [forcePush, { id: "codemode", effect: "allow", tool: "codemode" }] },
    request: { chain: [{ callId: "c", toolName: "codemode" }], callId: "c/1" },
  },
  J03: { user: { rules: [{ id: "read", effect: "allow", tool: "read" }] } },
  J05: {
    user: { ...bashAllowed, rules: [deny("no-stash", prefix("git stash"))] },
    request: { chain: [{ callId: "t", toolName: "task" }], callId: "t/1" },
  },
  J07: {
    user: {},
    layers: [
      layer("project", { rules: [{ id: "child", effect: "deny", calledBy: "task", path: "src/secret/**" }] }),
    ],
    files: { "/w/src/secret/x": "" },
    request: { chain: [{ callId: "t", toolName: "task" }], callId: "t/1" },
  },
  J09: {
    user: {
      rules: [
        { id: "task", effect: "allow", tool: "task" },
        { id: "no-task", effect: "deny", tool: "task", calledBy: "task" },
      ],
    },
    request: { chain: [{ callId: "t", toolName: "task" }], callId: "t/1", source: { kind: "extension" } },
  },
  J11: {
    user: {
      rules: [
        { id: "in", effect: "allow", path: { outside: false, action: "read" } },
        allow("ln", { program: "ln" }),
      ],
    },
    files: { "/w/notes.txt": "" },
    history: {
      calls: [
        {
          callId: "b1",
          rootId: "b1",
          toolName: "bash",
          inputHash: "x",
          state: "approved",
          writes: ["/w/notes.txt"],
        },
      ],
    },
  },
  K08: {
    user: { rules: [{ id: "edits", effect: "allow", tool: "edit" }] },
    request: {
      tool: {
        parameters: {
          type: "object",
          properties: { path: { type: "string" }, edits: { type: "array" } },
          required: ["path", "edits"],
        },
      },
    },
  },
  L02: { user: { rules: [deny("no-boom", prefix("npm run boom"))] } },
  L04: {
    user: { rules: [allow("ls", { program: "ls" })] },
    options: {
      get fs(): never {
        throw new Error("the disk is on fire");
      },
    },
  },
  L06: {
    layers: [
      {
        ok: false,
        name: "user",
        problems: [{ file: "policy.jsonc", line: 3, column: 5, message: "syntax: CommaExpected" }],
      },
    ],
  },
  L08: {
    user: { rules: [deny("only-echo", { program: "*" }, { except: { command: { program: "echo" } } })] },
  },
  L12: {
    user: {
      rules: [
        { id: "in", effect: "allow", path: { outside: false, action: "read" } },
        { id: "token", effect: "deny", path: "**/token/**", except: { path: "internal/token/**" } },
      ],
    },
    files: { "/w/internal/token/token.go": "" },
  },
  L14: {
    user: {
      rules: [
        deny(
          "aws",
          { program: "aws" },
          {
            except: {
              command: ["describe-*", "list-*", "get-*"].map((verb) => ({
                program: "aws",
                subcommand: ["*", verb],
              })),
            },
          },
        ),
      ],
    },
  },
  L16: {
    user: { tools: { user_bash: { shell: { argument: "command" } } }, rules: [noRm] },
    request: { actor: "person", source: { kind: "builtin" } },
  },
  N01: {
    user: { rules: [{ id: "in", effect: "allow", path: { outside: false, action: "write" } }] },
    files: { "/w/.pi/policy.jsonc": "{}" },
  },
  N03: { user: { rules: [allow("python", { program: "python3" })] }, files: { "/w/.pi/policy.jsonc": "{}" } },
  N05: {
    user: { rules: [allow("checkout", prefix("git checkout"))] },
    files: { "/w/.pi/policy.jsonc": "{}" },
  },
  N07: { user: bashAllowed },
  O02: { user: {} },
  O04: {
    user: {
      rules: [
        allow("files", [{ exact: "git ls-files" }, { exact: "wc -l" }]),
        { id: "loop", effect: "ask", tool: "*", loop: { identical: 4 } },
      ],
    },
    history: {
      calls: [1, 2, 3].map((index) => past("bash", { command: "git ls-files | wc -l" }, "same", index)),
    },
  },
  O06: {
    user: {
      rules: [
        { id: "search", effect: "allow", tool: "search" },
        { id: "cycle", effect: "ask", tool: "*", loop: { cycles: 3 } },
      ],
    },
    request: { source: { kind: "extension" } },
    history: {
      calls: ["a", "b", "a", "b", "a"].map((q, index) => past("search", { q }, `result ${q}`, index)),
    },
  },
  O08: {
    user: {
      rules: [
        noRm,
        allow("test", { exact: "npm test" }),
        { ...allow("push", prefix("git push")), effect: "ask" },
      ],
    },
  },
};

/** The file system and options of a case. */
export function caseOptions(setup: CaseSetup): Partial<EngineOptions> {
  const layout = { "/w": null, ...setup.files };
  const base = { fs: createMemoryFs(layout, { foldsCase: setup.foldsCase === true }) };
  if (setup.options === undefined) return base;
  return Object.defineProperties(base, Object.getOwnPropertyDescriptors(setup.options));
}
