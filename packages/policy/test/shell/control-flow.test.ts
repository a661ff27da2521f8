import { describe, expect, it } from "vitest";

import { analyze, commands, doubts, last, resources } from "./brief.ts";

describe("a command is found wherever it stands", () => {
  it.each([
    "a; rm x",
    "a && rm x",
    "a || rm x",
    "a | rm x",
    "a |& rm x",
    "a & rm x",
    "a\nrm x",
    "! rm x",
    "time rm x",
    "(rm x)",
    "{ rm x; }",
    "if a; then rm x; fi",
    "if rm x; then a; fi",
    "if a; then b; elif rm x; then c; fi",
    "if a; then b; else rm x; fi",
    "while rm x; do a; done",
    "until a; do rm x; done",
    "for i in a; do rm x; done",
    "for i in $(rm x); do a; done",
    "for ((i=0;i<1;i++)); do rm x; done",
    "for ((i=$(rm x);i<1;i++)); do a; done",
    "select i in a; do rm x; done",
    "case a in b) rm x;; esac",
    "case $(rm x) in b) a;; esac",
    "case a in $(rm x)) a;; esac",
    "f() { rm x; }",
    "function f { rm x; }",
    "f() ( rm x )",
    "coproc rm x",
    "coproc N { rm x; }",
    'a "$(rm x)"',
    "a `rm x`",
    "a <(rm x)",
    "a >(rm x)",
    "a ${b:-$(rm x)}",
    "a ${b/$(rm x)/c}",
    "a ${b[$(rm x)]}",
    "a $(( $(rm x) ))",
    "(( $(rm x) ))",
    "a $[$(rm x)]",
    "b=$(rm x)",
    "b=($(rm x))",
    "b[$(rm x)]=1",
    "export b=$(rm x)",
    "a > $(rm x)",
    "a < <(rm x)",
    'a <<< "$(rm x)"',
    "a <<E\n$(rm x)\nE",
    "a <<E\n`rm x`\nE",
    "a <<-E\n\t${b:-$(rm x)}\n\tE",
    "[[ $(rm x) ]]",
    "[[ -f $(rm x) ]]",
    "[[ a == $(rm x) ]]",
    "a ${ rm x; }",
    "a {b,$(rm x)}",
    "a *[$(rm x)]",
    'a $"$(rm x)"',
    "((rm x); a)",
    "!(rm x)",
    "a <<A <<B\nA\n$(rm x)\nB",
    "{ a; } > $(rm x)",
    ">&-rm x",
  ])("%s", (text) => {
    expect(commands(text)).toContain("rm x");
  });

  it.each([
    "echo 'rm x'",
    'echo "rm x"',
    "cat <<'E'\n$(rm x)\nE",
    "cat <<\\E\n`rm x`\nE",
    "echo a # rm x",
    "echo '$(rm x)'",
    "cat <<E\nrm x\nE",
  ])("%s has no such command", (text) => {
    expect(analyze(text).commands.map((command) => command.program)).not.toContain("rm");
    expect(doubts(text)).toEqual([]);
  });

  it("tells where in a pipeline a command stands", () => {
    expect(analyze("a | b | c").commands.map((command) => command.pipeline)).toEqual([
      { index: 0, length: 3 },
      { index: 1, length: 3 },
      { index: 2, length: 3 },
    ]);
  });

  it("keeps the source of each command", () => {
    expect(analyze("ls  -l > out; cat").commands.map((command) => command.source)).toEqual([
      "ls  -l > out",
      "cat",
    ]);
  });
});

describe("the folder of a command", () => {
  it.each([
    ["cd a && rm x", ["/w/a"]],
    ["cd a; rm x", ["/w/a", "/w"]],
    ["cd a || exit 1; rm x", ["/w/a"]],
    ["cd a || return; rm x", ["/w/a"]],
    ["! cd a && rm x", ["/w"]],
    ["cd /b && rm x", ["/b"]],
    ["cd .. && rm x", ["/"]],
    ["cd a/../b && rm x", ["/w/b"]],
    ["cd && rm x", ["/home/u"]],
    ["cd ~/a && rm x", ["/home/u/a"]],
    ["cd - && rm x", ["?"]],
    ["cd $X && rm x", ["?"]],
    ["cd a* && rm x", ["?"]],
    ["cd -P a/.. && rm x", ["?"]],
    ["pushd a && rm x", ["/w/a"]],
    ["popd && rm x", ["?"]],
    ["(cd a); rm x", ["/w"]],
    ["(cd a && rm x)", ["/w/a"]],
    ["{ cd a; } && rm x", ["/w/a"]],
    ["cd a & rm x", ["/w"]],
    ["b | cd a; rm x", ["/w", "/w/a"]],
    ["echo $(cd a); rm x", ["/w"]],
    ["builtin cd a && rm x", ["/w/a"]],
    ["command cd a && rm x", ["/w/a"]],
    ["eval 'cd a' && rm x", ["/w/a"]],
    ["bash -c 'cd a'; rm x", ["/w"]],
    ["bash -c 'cd a && rm x'", ["/w/a"]],
    ["if cd a; then rm x; fi", ["/w/a"]],
    ["if cd a; then b; else rm x; fi", ["/w"]],
    ["if a; then cd a; fi; rm x", ["/w/a", "/w"]],
    ["f() { cd a; }; f; rm x", ["/w", "?"]],
    [". ./x; rm x", ["/w", "?"]],
    ["env -C a rm x", ["/w/a"]],
    ["sudo -D a rm x", ["/w/a"]],
    ["make -C a", []],
  ])("%s", (text, expected) => {
    const bases = analyze(text)
      .resources.filter((resource) => resource.action === "delete")
      .map((resource) => resource.base ?? "?");
    expect(bases).toEqual(expected);
  });

  it("after a cd in a loop may be any", () => {
    expect(resources("while a; do cd b; rm x; done")).toContain("delete x @?");
    expect(resources("for i in 1 2; do cd b; done; rm x")).toContain("delete x @?");
  });

  it("without a known folder is told relative to the call's own", () => {
    expect(analyze("cd a/b && rm x", { cwd: undefined }).resources.at(-1)?.base).toBe("a/b");
    expect(analyze("rm x", { cwd: undefined }).commands[0]?.cwd).toBe(".");
  });
});

describe("redirections", () => {
  it.each([
    ["a > b", ["write b"]],
    ["a >> b", ["write b"]],
    ["a >| b", ["write b"]],
    ["a &> b", ["write b"]],
    ["a &>> b", ["write b"]],
    ["a >& b", ["write b"]],
    ["a 2> b", ["write b"]],
    ["a <> b", ["write b", "read b"]],
    ["a < b", ["read b"]],
    ["a {fd}> b", ["write b"]],
    ["> b", ["write b"]],
    ["> b a", ["write b"]],
    ["{ a; } > b", ["write b"]],
    ["(a) > b", ["write b"]],
    ["if a; then c; fi > b", ["write b", "write b"]],
    ["while a; do c; done < b", ["read b", "read b"]],
    ["[[ -n x ]] > b", ["write b"]],
    ['a > "$X"', ["write ?"]],
    ["a > ~/b", ["write /home/u/b"]],
    ["a > >(cat)", []],
    ["a > /dev/null 2>&1", []],
    ["a >&2", []],
    ["a 2>&-", []],
    ["a 3>&1-", []],
    ["exec 3<> /dev/tcp/x.test/80", ["network host x.test", "network host x.test"]],
    ["cat < /dev/udp/x.test/1", ["network host x.test"]],
  ])("%s", (text, expected) => {
    expect(resources(text)).toEqual(expected);
  });

  it("are on the fact, with their descriptor", () => {
    expect(last("ls 2> a >&1").redirections).toEqual([
      { operator: ">", fd: 2, target: { raw: "a", value: "a" }, action: "write" },
      { operator: ">&", target: { raw: "1", value: "1" }, action: "none" },
    ]);
  });

  it("take away that a command is read-only", () => {
    expect(last("ls > a").readOnly).toBe(false);
    expect(last("ls > /dev/null").readOnly).toBe(true);
    expect(last("cat < a").readOnly).toBe(true);
  });
});
