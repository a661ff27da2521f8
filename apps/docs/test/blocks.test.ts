import { describe, expect, it } from "vitest";

import { checkBlocks } from "../src/blocks/check-blocks.ts";
import { faultLine } from "../src/blocks/fault.ts";
import type { Given } from "../src/blocks/given.ts";
import { readPage, type Block } from "../src/markdown.ts";
import { loadPage, pageFiles } from "../src/pages.ts";

/** The blocks of a page that is only thought of. */
function blocksOf(text: string, page = "docs/thought.md"): readonly Block[] {
  return readPage(page, text).blocks;
}

function fence(info: string, ...lines: readonly string[]): string {
  return ["```" + info, ...lines, "```", ""].join("\n");
}

async function faults(text: string, given: Readonly<Record<string, Given>> = {}): Promise<readonly string[]> {
  return (await checkBlocks(blocksOf(text), given)).map(faultLine);
}

describe("the documentation", () => {
  it("shows no block that does not hold", { timeout: 300_000 }, async () => {
    const blocks = pageFiles().flatMap((file) => loadPage(file).blocks);
    // All kinds are there: a checker that finds nothing to check proves nothing.
    for (const language of ["ts", "js", "json", "jsonc", "sh", "text"])
      expect(blocks.some((block) => block.language === language)).toBe(true);
    expect((await checkBlocks(blocks)).map(faultLine)).toEqual([]);
  });
});

describe("a block that does not hold is told with its page and line", () => {
  it("TypeScript: an export that a package does not have, a wrong argument, a name that the page does not give", async () => {
    const text =
      "# Page\n\n" +
      fence("ts", `import { createPolicy } from "@nestbox/policy";`, "createPolicy();") +
      fence("ts", `import { createRunner } from "@nestbox/codemode/node";`, "createRunner({ limit: {} });") +
      fence("ts", "await host.call('a', {});");
    const found = await faults(text);
    expect(found[0]).toMatch(/^docs\/thought\.md:4: TS2305: .*createPolicy/);
    expect(found[1]).toMatch(/^docs\/thought\.md:9: TS2\d+: .*limit/);
    expect(found[2]).toMatch(/^docs\/thought\.md:12: TS2304: .*host/);
    expect(found).toHaveLength(3);
  });

  it("TypeScript: a block that imports another one of its page gets that one's types", async () => {
    const named = fence("ts", "// one.ts", "export const one = 1;");
    const user = (type: string) =>
      fence("ts", `import { one } from "./one.ts";`, `export const two: ${type} = one;`);
    expect(await faults(named + user("number"))).toEqual([]);
    expect((await faults(named + user("string"))).join()).toMatch(/thought\.md:7: TS2322/);
    expect((await faults(user("number"))).join()).toContain("./one.ts");
  });

  it("TypeScript: what is quoted from a file has to stand there", async () => {
    const given = { "docs/thought.md": { quotes: ["examples/guard/src/extension.ts"] } };
    const line = `registerTools(pi, [publishBranch], { owner: "the release extension" });`;
    expect(await faults(fence("ts", line), given)).toEqual([]);
    expect((await faults(fence("ts", line.replace("owner", "user")), given)).join()).toContain("TS2304");
  });

  it("scripts: a tool that does not exist, a tool's argument that it does not have, no syntax at all", async () => {
    expect(await faults(fence("js script", "return await tools.run_checks({ skipTests: true });"))).toEqual(
      [],
    );
    expect((await faults(fence("js script", "return await tools.run_check({});"))).join()).toMatch(
      /thought\.md:2: .*run_check/,
    );
    expect((await faults(fence("ts script", "", "await tools.run_checks({ skip: true });"))).join()).toMatch(
      /thought\.md:3: .*skip/,
    );
    expect((await faults(fence("js script", "return await;"))).join()).toMatch(/thought\.md:2: /);
  });

  it("policies: an unknown key, an example that does not hold, no JSON", async () => {
    const policy = (rule: string) => fence("jsonc", "{", `"version": 1,`, `"rules": [${rule}]`, "}");
    expect(
      await faults(
        policy(`{ "id": "a", "effect": "allow", "command": { "exact": "npm test" }, "match": "npm test" }`),
      ),
    ).toEqual([]);
    expect((await faults(policy(`{ "id": "a", "effects": "allow" }`))).join()).toMatch(
      /thought\.md:4: .*effect/,
    );
    expect(
      (
        await faults(
          policy(`{ "id": "a", "effect": "allow", "command": { "exact": "npm test" }, "match": "npm run" }`),
        )
      ).join(),
    ).toContain("npm run");
    expect((await faults(policy("}"))).join()).toMatch(/thought\.md:4: /);
  });

  it("other JSON: a config, a client's servers, Pi's switches, a call, a report, rules of other agents", async () => {
    const good: readonly string[] = [
      fence("jsonc", `{ "policy": ["a.jsonc"], "timeoutMs": 1000 }`),
      fence("json", `{ "mcpServers": { "nestbox": { "command": "nestbox", "args": ["mcp", "--http"] } } }`),
      fence("json", `{ "nestbox": { "review": false } }`),
      fence("json", `{ "tool": "bash", "input": { "command": "ls" }, "decision": "ask" }`),
      fence("json", `{ "permissions": { "allow": ["Bash(npm test)"] } }`),
    ];
    expect(await faults(good.join(""))).toEqual([]);
    const bad: readonly string[] = [
      fence("jsonc", `{ "policies": ["a.jsonc"] }`),
      fence("json", `{ "mcpServers": { "nestbox": { "command": "nestbox", "args": ["mcp", "--htp"] } } }`),
      fence("json", `{ "nestbox": { "reviews": false } }`),
      fence("json", `{ "tool": 7, "input": {} }`),
      fence("json", `{ "tool": "bash", "input": {}, "decision": "maybe" }`),
      fence("json", `{ "ok": true, "calls": [] }`),
      fence("json", `{ "name": "mine", "dependencies": { "@nestbox/tols": "*" } }`),
      fence("json", `// a comment`, `{ "nestbox": {} }`),
      fence("json", `"text"`),
    ];
    for (const text of bad)
      expect({ text, found: await faults(text) }).toEqual({ text, found: [expect.any(String)] });
  });

  it("commands: words that nestbox, pnpm, npm and pi do not have, programs that nobody knows", async () => {
    const good = fence(
      "sh",
      "nestbox run review.ts --policy p.jsonc --json | cat > out.json",
      `echo '{}' | nestbox policy check --call -`,
      "source <(nestbox completion bash)   # in ~/.bashrc",
      "npx -y pnpm@12 nestbox run -e 'return 1' \\",
      "  --timeout-ms 1000",
      "npm install @nestbox/tool ./nestbox-tool-0.0.0.tgz",
      "pi install npm:@nestbox/pi && pi -e ./guard.ts",
      "pi --offline --no-session -p '/codemode return 6 * 7'",
      "npm init -y && npm pkg set type=module",
    );
    expect(await faults(good)).toEqual([]);
    const bad: Readonly<Record<string, RegExp>> = {
      "nestbox runn a.ts": /no command runn/,
      "nestbox run a.ts --polcy p": /no option --polcy/,
      "nestbox run a.ts --timeout-ms soon": /--timeout-ms soon/,
      "nestbox run a.ts --policy": /needs a value/,
      "nestbox run a.ts b.ts": /does not take b\.ts/,
      "nestbox policy explain": /needs <command>/,
      "nestbox policy check": /needs --call/,
      "nestbox completion tcsh": /does not take tcsh/,
      "npx -y pnpm@12 dmo": /no script dmo/,
      "npx -y pnpm@12 nestbox run --wach a.ts": /no option --wach/,
      "npx -y pnpm@12 --filter @nestbox/tol test": /no package @nestbox\/tol/,
      "npm install @nestbox/tols": /@nestbox\/tols/,
      "pi install npm:@nestbox/pie": /cannot install/,
      "pi --ofline -p '/codemode return 1'": /--ofline/,
      "pi --offline -p '/codmode return 1'": /\/codmode is no command/,
      "pi -p /trace export": /does not take export/,
      "npm pgk set type=module": /npm pgk/,
      "bash scripts/none.sh": /no scripts\/none\.sh/,
      "nextbox run a.ts": /no command that this checker knows/,
      "cat 'a": /./,
    };
    for (const [line, message] of Object.entries(bad)) {
      const found = await faults(fence("sh", "cd project", line));
      expect({ line, found }).toEqual({ line, found: [expect.stringMatching(message)] });
    }
  });

  it("other languages: only text is shown unchecked", async () => {
    expect(await faults(fence("text", "anything"))).toEqual([]);
    expect(await faults(fence("", "anything"))).toEqual(["docs/thought.md:2: this block says no language"]);
    expect((await faults(fence("yaml", "a: 1"))).join()).toContain("nothing checks yaml");
    expect(() => blocksOf("```ts\nopen\n")).toThrow("not closed");
  });
});
