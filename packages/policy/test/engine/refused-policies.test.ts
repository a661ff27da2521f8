import { describe, expect, it } from "vitest";

import { loadPolicy, parsePolicy } from "../../src/index.ts";
import { call, engineOf } from "./support.ts";

type Platform = "linux" | "win32";

/** What a file is refused for, with the line; undefined: it loads. */
function refusal(source: string | object, platform: Platform = "linux"): string | undefined {
  const text = typeof source === "string" ? source : JSON.stringify({ version: 1, ...source });
  const parsed = parsePolicy(text, { file: "policy.jsonc", layer: "user", platform });
  if (parsed.ok) return undefined;
  const [problem] = parsed.problems;
  return `${problem?.file}:${problem?.line}: ${problem?.message}`;
}

const deny = (more: object) => ({ rules: [{ id: "r", effect: "deny", ...more }] });

describe("trust that would undo the policy is refused, with its place and the reason", () => {
  it.each([
    ["*", "change what runs"],
    ["PATH", "change what runs"],
    ["LD_PRELOAD", "change what runs"],
    ["LD_*", "change what runs"],
    ["L*", "change what runs"],
    ["NODE_OPTIONS", "change what runs"],
    ["NODE_OPT*", "change what runs"],
    ["GIT_*", "change what runs"],
    ["GIT_SSH_COMMAND", "change what runs"],
    ["BASH_FUNC_x", "change what runs"],
    ["MY_PAGER", "change what runs"],
    ["*_MODE", "no name of a variable"],
    ["A=1", "no name of a variable"],
  ])("the variable %s", (name, reason) => {
    const text = `{\n  "version": 1,\n  "trust": {\n    "env": [\n      "MY_MODE",\n      ${JSON.stringify(name)}\n    ]\n  }\n}`;
    expect(refusal(text)).toMatch(/^policy.jsonc:6: /);
    expect(refusal(text)).toContain(reason);
  });

  it.each(["bin", "./bin", "~/bin", "/opt/x/", "/opt/../tmp", "/tmp/bin", "/dev/shm"])(
    "the folder %s",
    (folder) => {
      expect(refusal({ trust: { programFolders: [folder] } })).toContain(JSON.stringify(folder));
    },
  );

  it.each(["sudo", "rm", "bash", "git", "xargs", "/opt/x/rtk", "rtk run"])("the wrapper %s", (name) => {
    expect(refusal({ trust: { wrappers: [name] } })).toContain(JSON.stringify(name));
  });

  it("and what undoes nothing loads", () => {
    const trust = {
      env: ["MY_MODE", "MY_APP_*", "LC_ALL"],
      programFolders: ["/opt/tools/bin", "C:\\tools"],
      wrappers: ["rtk"],
    };
    expect(refusal({ trust })).toBeUndefined();
  });
});

describe("a pattern that would never match is refused, with what to write instead", () => {
  it.each([
    [{ ref: { name: "origin/main" } }, 'write "main"'],
    [{ ref: { name: "refs/remotes/fork/main" } }, 'write "main"'],
    [{ ref: { name: "refs/tags/v*" } }, 'write "v*"'],
    [{ ref: { name: "+main" } }, '"force"'],
    [{ ref: { name: "HEAD:main" } }, "no source"],
    [{ path: "src\\secret\\**" }, "separated by /"],
    [{ path: "a", except: { path: "b\\c" } }, "separated by /"],
    [{ path: "file:///etc/passwd" }, "not a URL"],
  ])("%j", (match, message) => {
    expect(refusal(deny(match))).toContain(message);
  });

  it.each([
    { ref: { name: ["main", "refs/heads/main", "release/**", "v*"] } },
    { path: ["a\\*b", "a\\[b", "src/{a,b}/**"] },
  ])("%j loads", (match) => {
    expect(refusal(deny(match))).toBeUndefined();
  });

  it("a backslash separates folders on Windows", () => {
    expect(refusal(deny({ path: "src\\secret\\**", match: "src/secret/a" }), "win32")).toBeUndefined();
  });
});

describe("a file that is no policy is refused and never thrown at anybody", () => {
  it.each([
    ["a deep list", `{"version":1,"rules":${"[".repeat(400_000)}`],
    ["a deep value of an unknown key", `{"version":1,"x":${"[".repeat(5_000)}${"]".repeat(5_000)}}`],
    ["objects in objects", `${'{"a":'.repeat(100_000)}1`],
    ["a key twice", '{"version":1,"rules":[{"id":"a","effect":"deny","effect":"allow","tool":"x"}]}'],
    ["rules twice", '{"version":1,"rules":[],"rules":[]}'],
    [
      "an id twice",
      JSON.stringify({ version: 1, rules: [...deny({ tool: "x" }).rules, ...deny({ tool: "y" }).rules] }),
    ],
    ["a key __proto__", '{"version":1,"__proto__":{"rules":[]}}'],
    [
      "a rule's key __proto__",
      '{"version":1,"rules":[{"id":"a","effect":"deny","tool":"x","__proto__":{}}]}',
    ],
    ["a preset of Object's own", '{"version":1,"preset":{"constructor":false}}'],
    ["an open comment", '{"version":1} /* x'],
    ["two values", '{"version":1} {"version":1}'],
    ["a zero byte", '{"version":1}\0'],
    ["another version", '{"version":2}'],
    ["nothing", ""],
    ["too much", " ".repeat(1_000_001)],
  ])("%s", (_title, source) => {
    expect(refusal(source)).toMatch(/^policy.jsonc:\d+: ./);
    const layers = [loadPolicy(source, { file: "policy.jsonc", layer: "user" })];
    expect(engineOf(layers).evaluate(call("read", { path: "a" })).effect).toBe("ask");
  });

  it.each([
    ["a byte order mark", '\ufeff{"version":1}'],
    ["a comment at the end", '{"version":1} // x'],
    ["trailing commas", '{"version":1,"rules":[],}'],
    ["line ends of all kinds", '{\r"version"\r\n:\n1}'],
  ])("%s is none of it", (_title, source) => {
    expect(refusal(source)).toBeUndefined();
  });

  it("names of Object's own are names of tools like any other", () => {
    const source =
      '{"version":1,"tools":{"__proto__":{"transparent":true}},"fallback":{"constructor":"deny"}}';
    const engine = engineOf([loadPolicy(source, { file: "policy.jsonc", layer: "user" })]);
    expect(engine.evaluate(call("constructor")).effect).toBe("deny");
    expect(engine.evaluate(call("toString")).effect).toBe("ask");
    expect(engine.evaluate(call("read", { path: "a" })).effect).toBe("allow");
  });
});
