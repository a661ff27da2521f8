import { describe, expect, it } from "vitest";

import { call, engineOf, type PolicyText } from "./support.ts";
import { parsePolicy } from "../../src/index.ts";

/** An engine for a Windows machine, on whichever machine this runs: spellings only, nothing is on disk. */
function windows(policy: PolicyText, protectedPaths: readonly string[] = []) {
  const parsed = parsePolicy(JSON.stringify({ version: 1, ...Object(policy) }), {
    file: "policy.jsonc",
    layer: "user",
    platform: "win32",
  });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  const engine = engineOf([{ ok: true, name: "user", policy: parsed.policy }], {
    platform: "win32",
    home: "C:\\Users\\u",
    cwd: "C:\\w",
    protectedPaths,
  });
  return (tool: string, path: string) =>
    engine.evaluate(
      call(tool, tool === "bash" ? { command: path } : { path, content: "" }, { cwd: "C:\\w" }),
    );
}

const inside = { id: "in", effect: "allow", path: { outside: false } };
const open = { fallback: { "*": "allow" }, preset: { "path.external": false } };

describe("a folder that is denied is denied under every spelling of Windows", () => {
  const decide = windows({
    ...open,
    rules: [inside, { id: "secret", effect: "deny", path: ["secret\\**", ".env", "C:/data/**"] }],
  });
  it.each([
    "secret\\a",
    "SECRET/A",
    "secret.\\a",
    "secret \\a",
    "secret\\a::$DATA",
    "secret\\a:stream",
    "secret::$INDEX_ALLOCATION\\a",
    "c:\\w\\secret\\a",
    "C:secret\\a",
    "\\w\\secret\\a",
    "x\\..\\secret\\.\\a",
    "secret\\\\a",
    "\\\\?\\C:\\w\\secret\\a",
    "\\\\.\\C:\\w\\secret\\a",
    "//?/c:/w/secret/a",
    "\\\\localhost\\C$\\w\\secret\\a",
    "\\\\127.0.0.1\\c$\\w\\secret\\a",
    "\\\\127.1.2.3\\c$\\w\\secret\\a",
    "\\\\[::1]\\C$\\w\\secret\\a",
    "\\\\?\\UNC\\localhost\\C$\\w\\secret\\a",
    "\\\\?\\UNC\\127.0.0.1\\C$\\w\\secret\\a",
    // Whether it is this machine nobody knows: a deny counts it.
    "\\\\THIS-MACHINE\\C$\\w\\secret\\a",
    "/c/w/secret/a",
    "/mnt/c/w/secret/a",
    "/cygdrive/c/w/secret/a",
    "file:///C:/w/secret/a",
    "@secret\\a",
    ".ENV",
    ".env.",
    ".env::$DATA",
    "c:\\DATA\\x",
    "\\\\?\\c:\\data\\x",
  ])("read %s", (path) => {
    expect(decide("read", path)).toMatchObject({ effect: "deny", rule: "secret" });
  });

  it.each(["cat secret/a", "cat 'secret\\a'", "cat /c/w/SECRET/a", "cat C:/w/secret/a", "cat .env::\\$DATA"])(
    "%s",
    (line) => {
      expect(decide("bash", line)).toMatchObject({ effect: "deny", rule: "secret" });
    },
  );
});

describe("a spelling whose file nobody knows is never allowed without a person", () => {
  const decide = windows({ ...open, rules: [inside] });
  it.each([
    "SECRET~1\\a",
    "a\\PROGRA~2\\b",
    "CON",
    "nul.txt",
    "a\\aux",
    "com1",
    "COM\u00b9.log",
    "lpt\u00b3",
    "conin$",
    "a:b",
    "D:x",
    "\\\\.\\pipe\\x",
    "\\\\?\\Volume{1}\\w\\a",
    "\\\\?\\GLOBALROOT\\Device\\x",
    "\\\\server\\C$\\w\\a",
    "a\0",
  ])("read %j", (path) => {
    expect(decide("read", path).effect).toBe("ask");
  });

  it.each(["a", "src\\b.ts", "C:\\w\\c", "console.ts", "com10", "a~b", "nullable.ts"])(
    "read %s is allowed",
    (path) => {
      expect(decide("read", path).effect).toBe("allow");
    },
  );
});

describe("the leash holds on Windows", () => {
  const decide = windows(
    { ...open, rules: [{ id: "all", effect: "allow", path: { glob: ["**", "C:/**", "D:/**"] } }] },
    ["C:\\Users\\u\\kept\\grants.json", "D:\\odd [x]\\policy.jsonc"],
  );
  it.each([
    ".pi\\policy.jsonc",
    ".PI\\extensions\\a.ts",
    ".pi.\\x",
    ".pi::$INDEX_ALLOCATION\\x",
    "~\\.pi\\agent\\settings.json",
    "C:\\Users\\U\\Kept\\GRANTS.json",
    "\\\\?\\C:\\Users\\u\\kept\\grants.json",
    "\\\\localhost\\c$\\users\\u\\kept\\grants.json",
    "D:\\odd [x]\\policy.jsonc",
    "d:/ODD [X]/policy.jsonc",
  ])("write %s", (path) => {
    expect(decide("write", path)).toMatchObject({ effect: "deny", rule: "leash.files" });
  });
  it("and what is beside it is none of it", () => {
    expect(decide("write", "D:\\odd x\\policy.jsonc").effect).toBe("allow");
  });
});
