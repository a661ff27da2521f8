import { describe, expect, it } from "vitest";

import { isHarmlessVariable } from "../../src/shell/environment.ts";
import { analyze, doubts, first, last } from "./brief.ts";

describe("environment", () => {
  it.each([
    "TZ=UTC ls",
    "LANG=C LC_ALL=C sort a",
    "NO_COLOR=1 CI=1 TERM=dumb npm test",
    "FORCE_COLOR=0 ls",
    "X=1; ls",
    "X=1 Y=2",
  ])("%s is harmless", (text) => {
    expect(doubts(text)).toEqual([]);
  });

  it.each([
    "PATH=x ls",
    "PATH=x; ls",
    "export PATH=x:$PATH",
    "LD_PRELOAD=x ls",
    "DYLD_INSERT_LIBRARIES=x ls",
    "GIT_SSH=x git fetch",
    "NODE_OPTIONS=x node a.js",
    "BASH_ENV=x bash -c :",
    "ENV=x sh -c :",
    "PAGER=x git log",
    "EDITOR=x git commit",
    "PYTHONPATH=x python3 a.py",
    "IFS=x",
    "FOO=1 ls",
    "export FOO=1",
    "env FOO=1 ls",
    "sudo FOO=1 ls",
    "declare -x GIT_DIR=x",
    "read PATH",
    "for PATH in a; do ls; done",
    "printf -v PATH x",
    ": ${PATH:=x}",
    "unset PATH",
    "mapfile LD_PRELOAD",
    "set -a",
    "make CC=x",
    "git -c core.pager=x log",
    "ruby -rx a.rb",
    "perl -Mx a.pl",
    "java -javaagent:x Main",
    "curl -K x",
  ])("%s is not", (text) => {
    expect(doubts(text)).toContain("environment");
  });

  it("can be told of more harmless variables", () => {
    expect(doubts("FOO=1 ls", { harmlessVariables: ["FOO"] })).toEqual([]);
    expect(doubts("FOO_BAR=1 ls", { harmlessVariables: ["FOO_*"] })).toEqual([]);
    expect(isHarmlessVariable("LC_TIME")).toBe(true);
    expect(isHarmlessVariable("GIT_DIR")).toBe(false);
  });

  it("points at the command", () => {
    expect(analyze("ls; PATH=x cat").doubts).toEqual([
      { kind: "environment", message: "PATH is set, which can change what runs", command: 1 },
    ]);
  });
});

describe("arguments that a shell evaluates", () => {
  it.each([
    "test -v 'a[$(x)]'",
    "[ -v 'a[$(x)]' ]",
    "[[ -v 'a[$(x)]' ]]",
    "[[ -v $a ]]",
    "[[ 'a[$(x)]' -eq 1 ]]",
    "[[ $a -eq 1 ]]",
    "printf -v 'a[$(x)]' y",
    "read 'a[$(x)]'",
    "read -a 'a[$(x)]'",
    "let 'a[$(x)]'",
    "let $a",
    "declare -i n='a[$(x)]'",
    "declare 'a[$(x)]=1'",
    "declare -n r=x",
    "unset 'a[$(x)]'",
    "mapfile 'a[$(x)]'",
    "((a[b]))",
    "((a=$b))",
    "echo $((a))",
    "echo ${a:b}",
    "echo ${a[b]}",
    "a[b]=1",
    "echo ${!a}",
    "echo ${a@P}",
    "a=$(cat f); echo $((a+1))",
    "read n; ((n++))",
  ])("%s", (text) => {
    expect(doubts(text)).toContain("evaluates-argument");
  });

  it.each([
    "test -v a",
    "[ -f a ]",
    "[ $x -eq 1 ]",
    "[[ -f a && $x == y ]]",
    "[[ 3 -eq 4 ]]",
    "[[ $? -ne 0 ]]",
    "[[ $# -gt 1 ]]",
    "echo $((1+2*3))",
    "((1<2))",
    "i=0; ((i++)); echo $((i+1))",
    "for ((i=0;i<3;i++)); do ls; done",
    "for i in 1 2 3; do echo $((i*2)); done",
    "read a b",
    "printf -v x y",
    "echo ${a[0]} ${a[@]} ${#a[@]}",
    "echo ${a:0:3}",
    "echo ${!a@}",
    "declare -i n=5",
    "unset a",
    "a=(1 2)",
    "echo ${!a[@]}",
  ])("%s is plain", (text) => {
    expect(doubts(text)).toEqual([]);
  });
});

describe("what changes what later names mean", () => {
  it.each([
    "alias ls=rm",
    "hash -p /bin/rm ls",
    "enable -f ./x.so ls",
    "enable -n test",
    "f() { ls; }",
    "ls() { rm; }",
    "function ls { rm; }",
    "source ./x",
    ". ./x",
    "shopt -s expand_aliases",
    "unalias -a",
  ])("%s", (text) => {
    expect(doubts(text)).toContain("redefinition");
  });

  it.each(["alias", "alias -p", "hash", "hash -r", "enable", "shopt", "set -euo pipefail"])(
    "%s does not",
    (text) => {
      expect(doubts(text)).toEqual([]);
    },
  );
});

describe("other shells", () => {
  it.each(["powershell", "pwsh", "cmd", "cmd.exe", "fish", "nu", "csh", "C:\\Windows\\System32\\cmd.exe"])(
    "%s is not read, but its words are there",
    (shell) => {
      const facts = analyze("'hi' | Out-File -FilePath 'C:\\x y.txt'; rm -r z", { shell });
      expect(facts.commands).toEqual([]);
      expect(facts.doubts.map((doubt) => doubt.kind)).toContain("unknown-shell");
      expect(facts.rawWords).toEqual(expect.arrayContaining(["hi", "Out-File", "rm", "-r", "z"]));
    },
  );

  it("zsh is read with a doubt, and bash syntax in a POSIX shell too", () => {
    expect(doubts("rm x", { shell: "zsh" })).toEqual(["unknown-shell"]);
    expect(analyze("rm x", { shell: "/bin/zsh" }).commands[0]?.program).toBe("rm");
    expect(doubts("rm x", { shell: "sh" })).toEqual([]);
    expect(doubts("[[ a ]]", { shell: "sh" })).toEqual(["unknown-shell"]);
    expect(analyze("((rm x))", { shell: "dash" }).commands.map((one) => one.program)).toContain("rm");
  });

  it.each(["fish -c 'rm x'", "pwsh -c 'rm x'", "cmd /c del x", "zsh -c 'rm x'"])("%s inside bash", (text) => {
    expect(doubts(text)).toContain("unknown-shell");
  });
});

describe("signals", () => {
  it.each(["kill 1234", "kill -9 1234 1235", "kill -s TERM 1234", "kill %1", "kill -l", "kill -- 1234"])(
    "%s names its process",
    (text) => {
      expect(doubts(text)).toEqual([]);
    },
  );

  it.each([
    "kill $PPID",
    "kill -9 $(pgrep node)",
    "kill $$",
    "kill 0",
    "kill -9 -1",
    "kill 1",
    "kill -- -5",
    "pkill node",
    "killall node",
    "fuser -k 80/tcp",
  ])("%s may end the host", (text) => {
    expect(doubts(text)).toContain("dynamic-word");
  });
});

describe("a process of the host", () => {
  it("is told apart by its number where the host gives it", () => {
    expect(doubts("kill 77", { protectedPids: [77] })).toEqual(["dynamic-word"]);
    expect(doubts("kill 78", { protectedPids: [77] })).toEqual([]);
  });
});

describe("scripts of sed and awk", () => {
  it.each([
    "sed p",
    "sed -n '/a/,/b/p'",
    "sed '1!G;h;$!d'",
    "sed 's/[/]/x/g'",
    "sed 's,a,b,;s#c#d#2g'",
    "sed '/^#/d;s/e/w/'",
    "sed -e 'a\\' -e 'e text'",
    "sed 'y/abc/xyz/'",
    "sed ':a;N;$!ba;s/\\n/ /g'",
    "sed -n '\\,x,p'",
    "awk '/a|b/{n++} END{print n}'",
    "awk '$1>5 || $2<3'",
    "awk '{print \"a|b > c\"}'",
  ])("%s only prints", (text) => {
    expect(last(text).opaque).toBeUndefined();
    expect(last(text).readOnly).toBe(true);
  });

  it.each([
    "sed e",
    "sed '1e ls'",
    "sed 's/a/b/e'",
    "sed 's/a/b/ge'",
    "sed 's/a/b/;e ls'",
    "sed '/x/{s/a/b/e}'",
    "sed -f s",
    "sed $X",
    "sed --expression=e",
    "sed 's/a'",
    "sed 's/[/]/x/e'",
    "awk '{print | \"sh\"}'",
    "awk '{system($0)}'",
    "awk '{print>$1}'",
    "awk '{while ((\"ls\" | getline l) > 0) print l}'",
    "awk $X",
    `awk '/"/{system("x")} /"/'`,
    'awk \'{print "x" \\\n > "f"}\'',
    'awk \'{print "x",\n"y" > "f"}\'',
    "awk '{x = a / 1; print | \"sh\"} # /'",
    "awk '/[/]/{system($0)}#/'",
    "awk '@load \"x\"'",
  ])("%s does not, or nobody can tell", (text) => {
    expect(first(text).opaque).toBeDefined();
    expect(first(text).readOnly).toBe(false);
  });
});
