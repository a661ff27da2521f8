import { describe, expect, it } from "vitest";

import { analyze, commands, doubts, last, resources } from "./brief.ts";

describe("words are read as bash reads them", () => {
  it.each([
    ["r''m -r\"f\" 'a b'", "rm --recursive --force a b"],
    ["\\rm x", "rm x"],
    ["$'\\x72m' x", "rm x"],
    ["$'r\\155' $'a\\nb'", "rm a\nb"],
    ["r\\\nm x", "rm x"],
    ["{rm,-rf,x}", "rm --recursive --force x"],
    ["rm {a,b}/{c,d}", "rm a/c a/d b/c b/d"],
    ["rm f{1..3}", "rm f1 f2 f3"],
    ["rm {a..c}", "rm a b c"],
    ['echo $"loc"', "echo loc"],
    ["echo a#b # c", "echo a#b"],
    ["echo 'a' > /dev/null; #x\\\nrm y", "rm y"],
    ['echo "a\\$b\\"c\\q"', 'echo a$b"c\\q'],
    ["rm ~/a", "rm /home/u/a"],
    ['rm $HOME/a "${HOME}/b"', "rm /home/u/a /home/u/b"],
    ["rm '~/a'", "rm ~/a"],
    ["rm a~", "rm a~"],
  ])("%s", (text, expected) => {
    expect(commands(text).at(-1)).toBe(expected);
  });

  it("a quoted tilde is a name, an unquoted one the home folder, of somebody else unknown", () => {
    expect(resources("rm '~/a'")).toEqual(["delete ./~/a"]);
    expect(resources("rm ~/a")).toEqual(["delete /home/u/a"]);
    expect(resources("rm ~root/a")).toEqual(["delete ?"]);
    expect(resources("HOME=/x; rm ~/a")).toEqual(["delete ?"]);
    expect(analyze("rm ~/a", { home: undefined }).resources[0]?.value).toBe("~/a");
  });

  it("globs tell how far a path reaches, quoted ones do not", () => {
    expect(resources("rm *.ts 'b*'")).toEqual(["delete *.ts (glob)", "delete b*"]);
    expect(last("rm *.ts").operands[0]).toEqual({ raw: "*.ts", value: "*.ts", glob: true });
  });

  it("keeps the literal parts of a word that is not known", () => {
    const word = last('cat .env"$X"/b').operands[0];
    expect(word?.value).toBeUndefined();
    expect(word?.parts).toEqual([".env", "/b"]);
  });

  it.each([
    "$X a",
    "$(echo rm) x",
    "`echo rm` x",
    "${X:-rm} x",
    '"$X" y',
    "/bin/r? x",
    "r* x",
    "rm$IFS-rf",
    "~root/x",
  ])("%s is a program that nobody knows yet", (text) => {
    expect(doubts(text)).toContain("dynamic-program");
    expect(last(text).program).toBeUndefined();
  });
});

describe("an unknown word matters only where it can do harm", () => {
  it.each([
    "echo $X",
    'cat "$X"',
    "ls $X",
    "grep a $X",
    "head -5 $X",
    "wc -l $(ls)",
    "sort -- $X",
    'sort "./$X"',
    "git log -- $X",
    "echo *",
    "cat *",
  ])("%s", (text) => {
    expect(doubts(text)).toEqual([]);
  });

  it.each([
    "sort $X",
    'sort "$X"',
    "sort *",
    "rm $X",
    "git log $X",
    "git $X",
    "rg a $X",
    "curl $X",
    "sort --out$X",
    "npm $X",
    "sort a$X",
  ])("%s may be an option or a subcommand", (text) => {
    expect(doubts(text)).toEqual(["dynamic-word"]);
  });
});

describe("a word that may become several words", () => {
  it("takes the places after it as well", () => {
    expect(resources("uniq $X")).toEqual(["read ?", "write ?"]);
    expect(resources("uniq *")).toEqual(["read * (glob)", "write * (glob)"]);
    expect(last("uniq *").readOnly).toBe(false);
    expect(resources("grep $X a")).toEqual(["read ?", "read a"]);
    expect(resources('grep "$X" a')).toEqual(["read a"]);
    expect(resources("cp a *")).toEqual(["read a", "write * (glob)", "read * (glob)"]);
    expect(resources("cp *.ts a")).toEqual(["read *.ts (glob)", "write a"]);
  });

  it.each(["sort -k $X f", "sort -k$X f", "sort --key=$X f", "curl -H $X http://x.test", "git log -n $X"])(
    "%s may bring options",
    (text) => {
      expect(doubts(text)).toContain("dynamic-word");
    },
  );

  it.each(['sort -k "$X" f', 'sort --key="$X" f', "head -n $X f", "git log -n $?"])("%s does not", (text) => {
    expect(doubts(text)).toEqual([]);
  });
});

describe("a variable that the text itself sets is known", () => {
  it.each([
    ["D=/tmp/x; rm -r $D/a", "delete /tmp/x/a (tree)"],
    ['D=/tmp/x && rm "${D}"', "delete /tmp/x"],
    ["K=$HOME/k; rm $K", "delete /home/u/k"],
    ["F=.env; echo $(rm $F)", "delete .env"],
  ])("%s", (text, expected) => {
    expect(resources(text)).toEqual([expected]);
  });

  it("a loop is read once for each of its values", () => {
    expect(commands("for c in ls rm; do $c x; done")).toEqual(["ls x", "rm x"]);
    expect(resources("for f in a b; do cp $f /c; done")).toEqual([
      "read a",
      "write /c",
      "read b",
      "write /c",
    ]);
    expect(resources('for f in *.ts; do rm "$f"; done')).toEqual(["delete *.ts (glob)"]);
  });

  it.each([
    "false && D=a; rm $D",
    "D=a; D=b; rm $D",
    "(D=a); rm $D",
    "D=a | cat; rm $D",
    "D=a & rm $D",
    "if true; then D=a; fi; rm $D",
    "D=a; read D; rm $D",
    "D=a; read $'\\x44'; rm $D",
    "D=a; eval $'\\x44=b'; rm $D",
    "D=a; printf -v $'\\x44' b; rm $D",
    "D=a; declare $'\\x44=b'; rm $D",
    "D=a; unset D; rm $D",
    "D=a; trap $'\\x44=b' DEBUG; rm $D",
    "D=a; let $'\\x44=5'; rm $D",
    "D=a; . ./x; rm $D",
    "D=a; bash -c 'rm $D'",
    "f() { rm $D; }; D=a; f",
    "D=; rm $D",
    "for D in $(ls); do rm $D; done",
    "for D in a b; do D=c; rm $D; done",
    "D=a; rm ${D%x}",
    "D=a; : ${D:=b}; rm $D",
  ])("%s leaves it unknown", (text) => {
    const rm = analyze(text).commands.find((command) => command.program === "rm");
    expect(rm?.operands.map((word) => word.value)).toEqual([undefined]);
  });
});

describe("a name that is nearly known", () => {
  it("is read like the program it most likely is, but not trusted", () => {
    const upper = last("RM -rf x");
    expect(upper.flags.map((flag) => flag.name)).toEqual(["--recursive", "--force"]);
    expect(upper.known).toBe(false);
    expect(last("python3.12 -c x").opaque).toBeDefined();
    expect(last("rm.exe -r x").program).toBe("rm");
    expect(last("/usr/bin/rm x").known).toBe(true);
    expect(last("/tmp/rm x").known).toBe(false);
  });
});

describe("raw words", () => {
  it("are whole words without quotes, in order", () => {
    expect(analyze("r\"m\" 'a b';ls|wc -l").rawWords).toEqual(["rm", "a b", "ls", "wc", "-l"]);
  });

  it("include the words inside quotes once something is in doubt", () => {
    const facts = analyze("foo 'rm -rf x' \"");
    expect(facts.rawWords).toEqual(expect.arrayContaining(["foo", "rm", "-rf", "x", "rm -rf x"]));
    expect(analyze("echo 'rm -rf x'").rawWords).toEqual(["echo", "rm -rf x"]);
  });
});
