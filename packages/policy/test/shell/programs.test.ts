import { describe, expect, it } from "vitest";

import { findProgram, knownPrograms } from "../../src/programs/table.ts";
import type { CompiledSpec } from "../../src/programs/spec.ts";
import { specials } from "../../src/shell/special/table.ts";
import { analyze, doubts, last, resources } from "./brief.ts";

describe("the table of programs", () => {
  const every = (spec: CompiledSpec): CompiledSpec[] => [
    spec,
    ...[...(spec.subcommands?.values() ?? [])].flatMap(every),
  ];
  const specs = knownPrograms().flatMap((name) => {
    const spec = findProgram(name);
    return spec === undefined ? [] : every(spec);
  });

  it("knows the programs that matter, each once", () => {
    expect(knownPrograms().length).toBeGreaterThan(300);
    const wanted =
      "rm cp mv ln mkdir touch tee dd install truncate chmod chown sed awk perl python node grep rg find fd sort uniq head tail cat less curl wget git gh npm pnpm yarn bun npx tar zip unzip gzip rsync scp ssh make cargo go docker kubectl aws systemctl kill pkill mount crontab at history printf echo xargs patch diff cmp wc cut tr jq yq";
    expect(wanted.split(" ").filter((name) => findProgram(name) === undefined)).toEqual([]);
  });

  it("names only readings that exist", () => {
    const named = specs.flatMap((spec) => (spec.special === undefined ? [] : [spec.special]));
    expect(named.filter((name) => !specials.has(name))).toEqual([]);
    expect([...specials.keys()].filter((name) => !named.includes(name))).toEqual([]);
  });

  it("calls nothing read-only that reaches a host or hides what it runs", () => {
    expect(
      specs.filter((spec) => spec.readOnly === true && (spec.network === true || spec.opaque !== undefined)),
    ).toEqual([]);
  });
});

describe("options are read in every spelling", () => {
  it.each([
    ["rm -rf x", ["--recursive", "--force"]],
    ["rm -f -R x", ["--force", "--recursive"]],
    ["rm --recurs --fo x", ["--recursive", "--force"]],
    ["rm x -r", ["--recursive"]],
    ["rm -- -r", []],
    ["sort -k2 -t, f", ["--key=2", "--field-separator=,"]],
    ["sort -nrk 2 f", ["--numeric-sort", "--reverse", "--key=2"]],
    ["sort --output=x f", ["--output=x"]],
    ["sort --output x f", ["--output=x"]],
    ["sort -ox f", ["--output=x"]],
    ["head -20 f", ["-20"]],
    ["head -n20 f", ["--lines=20"]],
    ["sed -i.bak s/a/b/ f", ["-i=.bak"]],
    ["tar xzf a.tgz", ["--extract", "--gzip", "--file=a.tgz"]],
    ["tar -xzfa.tgz", ["--extract", "--gzip", "--file=a.tgz"]],
    ["tar cvfC a.tar sub x", ["--create", "--verbose", "--file=a.tar", "--directory=sub"]],
    ["find . -name '*.ts' -maxdepth 2", ["-name=*.ts", "-maxdepth=2"]],
    ["curl -sSLo f http://x.test", ["--silent", "--show-error", "--location", "--output=f"]],
    ["unheard -abc --d=e", ["-abc", "--d=e"]],
  ])("%s", (text, expected) => {
    expect(
      last(text).flags.map((flag) =>
        flag.value === undefined ? flag.name : `${flag.name}=${flag.value.value}`,
      ),
    ).toEqual(expected);
  });

  it("finds the subcommand behind options", () => {
    expect(last("aws --profile p ec2 --region eu terminate-instances --dry-run").subcommand).toEqual([
      "ec2",
      "terminate-instances",
    ]);
    expect(last("npm --prefix sub run test").subcommand).toEqual(["run"]);
    expect(last("docker --context c compose -f f.yml up -d").subcommand).toEqual(["compose", "up"]);
    expect(last("kubectl -n prod delete pod x").subcommand).toEqual(["delete"]);
    expect(last("gh -R a/b pr merge 1").subcommand).toEqual(["pr", "merge"]);
  });
});

describe("what programs do to paths and hosts", () => {
  it.each([
    ["rm a b", ["delete a", "delete b"]],
    ["rmdir a", ["delete a"]],
    ["cp a b c", ["read a", "read b", "write c"]],
    ["cp -R a b", ["read a (tree)", "write b (tree)"]],
    ["cp -t d a b", ["write d (tree)", "read a", "read b"]],
    ["cp --target-dir=d a", ["write d (tree)", "read a"]],
    ["mv a b", ["read a (tree)", "delete a (tree)", "write b (tree)"]],
    ["ln -s /etc/passwd x", ["read /etc/passwd", "write x", "write /etc/passwd (possible)"]],
    ["mkdir -p a/b", ["write a/b"]],
    ["touch -r a b", ["read a", "write b"]],
    ["tee -a x y", ["write x", "write y"]],
    ["dd if=a of=b bs=1M", ["read a", "write b"]],
    ["install -m 755 a /usr/bin/a", ["read a", "write /usr/bin/a"]],
    ["truncate -s 0 a", ["write a"]],
    ["chmod +x a", ["write a"]],
    ["chmod -x a", ["write a"]],
    ["chmod -R 777 /", ["write / (tree)"]],
    ["chown u:g a", ["write a"]],
    ["patch < a.diff", ["write . (tree)", "read a.diff"]],
    ["patch -o out f a.diff", ["write out", "write f", "read a.diff"]],
    ["split -b 1M f part", ["read f", "write part"]],
    ["uniq a b", ["read a", "write b"]],
    ["sort -o out in", ["write out", "read in"]],
    ["diff -r a b", ["read a (tree)", "read b (tree)"]],
    ["wc --files0-from=list", ["read list"]],
    ["ls -R", ["read . (tree)"]],
    ["du -sh *", ["read * (tree)"]],
    ["tree -o out", ["write out", "read . (tree)"]],
    ["grep -rn x", ["read . (tree)"]],
    ["grep -e x a b", ["read a", "read b"]],
    ["grep -f pat a", ["read pat", "read a"]],
    ["rg x", ["read . (tree)"]],
    ["rg --pre ./p x src", ["execute ./p", "read ./p", "read src (tree)"]],
    ["jq -f p.jq a.json", ["read p.jq", "read a.json"]],
    ["yq -i .a=1 f.yml", ["read f.yml", "write f.yml"]],
    ["sed -n 1p a", ["read a"]],
    ["sed -i '' s/a/b/ f", ["read f", "write f"]],
    ["sed -e 's/a/b/w out' f", ["write out", "read f"]],
    ["sed -n '/x/r secret' f", ["read secret", "read f"]],
    ["awk '{print $1}' a b=c", ["read a"]],
    ["tar czf /tmp/a.tgz -C src .", ["read src", "write /tmp/a.tgz", "read . @/w/src (tree)"]],
    ["tar -xf a.tar -C out", ["read out", "read a.tar", "write . @/w/out (tree)"]],
    ["tar tf a.tar", ["read a.tar"]],
    ["zip -r a.zip src", ["write a.zip (tree)", "read src (tree)"]],
    ["unzip a.zip -d out", ["write out (tree)", "read a.zip"]],
    ["unzip -l a.zip", ["read a.zip"]],
    ["gzip a", ["read a", "write a* (possible)", "delete a"]],
    ["gzip -dc a.gz", ["read a.gz"]],
    ["curl -O https://x.test/a/b.sh", ["network host x.test", "write b.sh"]],
    [
      "curl -o a --output-dir d https://x.test",
      ["write a", "write d (tree)", "network host x.test", "write d/a"],
    ],
    ["curl -d @f -F 'a=@g' -T h https://x.test", ["read f", "read g", "read h", "network host x.test"]],
    ["curl -c jar -b jar https://x.test", ["write jar", "network host x.test", "read jar"]],
    ["curl file:///etc/passwd", ["read /etc/passwd", "network host ?"]],
    ["curl --url https://u:p@x.test:8/a", ["network host x.test"]],
    ["curl http://EVIL.test./x", ["network host evil.test"]],
    ["curl http://a@b@evil.test/", ["network host evil.test"]],
    ["curl 'http://good.test@evil.test'", ["network host evil.test"]],
    ["curl 'http://good.test\\\\@evil.test'", ["network host ?"]],
    ["curl http://ev%69l.test", ["network host ?"]],
    ["curl http://2130706433/", ["network host 127.0.0.1"]],
    ["curl 'http://[::1]:80/'", ["network host [::1]"]],
    ["curl http://x.test/a?b=1", ["network host x.test"]],
    ["curl http://*/", ["network host ?"]],
    ["curl x.test/a", ["network host x.test"]],
    ["curl https://$H/a", ["network host ?"]],
    ["curl https://x.test/$A", ["network host x.test"]],
    ["wget https://x.test/a.tgz", ["network host x.test", "write a.tgz"]],
    ["wget -O- https://x.test", ["network host x.test"]],
    [
      "wget -P d -i list https://x.test/a",
      ["write d (tree)", "read list", "network host x.test", "write d/a"],
    ],
    ["scp a h.test:/b", ["read a (tree)", "network host h.test"]],
    ["scp u@h.test:/b .", ["network host h.test", "write . (tree)"]],
    ["rsync -a --delete a/ b/", ["read a/ (tree)", "write b/ (tree)", "delete b/ (tree)"]],
    ["ssh -i key u@h.test", ["read key", "network host h.test"]],
    ["curl --proto =https -sS https://x.test", ["network host x.test"]],
    ["sftp h.test", ["network host h.test"]],
    ["openssl enc -d -in a -out b", ["read a", "write b"]],
    ["history -w", ["write /home/u/.bash_history"]],
    ["docker run -v /etc:/e x", ["write /etc (tree)"]],
    ["docker cp c:/a b", ["network host c", "write b (tree)"]],
    [
      "make -C sub -f M.mk",
      ["read sub", "execute M.mk @/w/sub", "read M.mk @/w/sub", "write . @/w/sub (within)"],
    ],
    ["npm --prefix sub test", ["read sub", "write . @/w/sub (within)"]],
    [
      "unheard a.txt sub/b --c=/d",
      [
        "read /d",
        "write /d (possible)",
        "read a.txt",
        "write a.txt (possible)",
        "read sub/b",
        "write sub/b (possible)",
      ],
    ],
    ["unheard word", []],
    ["echo /etc/passwd", []],
    ["cat -", []],
  ])("%s", (text, expected) => {
    const home = text.startsWith("history") ? { home: "/home/u" } : {};
    expect(
      resources(text, home).map((line) => line.replace("~/.bash_history", "/home/u/.bash_history")),
    ).toEqual(expected);
  });
});

describe("read-only means that nothing but reading can happen", () => {
  it.each([
    "ls -la src",
    "cat a",
    "head -5 a",
    "tail -n 5 a",
    "wc -l a",
    "grep -n x a",
    "grep -r x src",
    "rg -n x src",
    "sort -u a",
    "uniq -c",
    "cut -d, -f1 a",
    "tr a-z A-Z",
    "diff -u a b",
    "find . -name x",
    "fd x",
    "jq .a f.json",
    "sed -n 1,5p f",
    "sed 's/a/b/g;s|c|d|' f",
    "awk -F, '{print $2}' f",
    "echo a",
    "printf '%s' a",
    "pwd",
    "date +%s",
    "which ls",
    "set -euo pipefail",
    "stat a",
    "file a",
    "du -sh .",
    "ps aux",
    "env",
    "test -f a",
    "true",
    "basename a/b",
    "sha256sum a",
    "tree -L 2",
    "xxd a",
    "column -t a",
    "seq 3",
    "uname -a",
    "id -u",
    "docker ps",
    "systemctl status x",
    "npm ls",
    "tar tf a.tar",
    "unzip -l a.zip",
    "crontab -l",
    "gzip -l a.gz",
  ])("%s", (text) => {
    expect(last(text).readOnly).toBe(true);
    expect(last(text).known).toBe(true);
    expect(doubts(text)).toEqual([]);
  });

  it.each([
    "ls > a",
    "sort -o a b",
    "sort --compress-program=x a",
    "uniq a b",
    "find . -delete",
    "find . -fprint a",
    "sed -i s/a/b/ f",
    "sed 's/a/b/w x' f",
    "sed -n '1e ls' f",
    "awk '{print > \"x\"}' f",
    "awk 'BEGIN{system(\"x\")}'",
    "awk '{ \"ls\" | getline x }'",
    "awk -f p f",
    "awk -i inplace '{print}' f",
    "rg --pre x y",
    "rg -z x",
    "yq -i . f",
    "date -s x",
    "hostname new",
    "less a",
    "cat --unheard-of a",
    "./ls",
    "../bin/cat a",
    "tree -o x",
    "docker rm x",
    "systemctl stop x",
    "npm test",
    "history -c",
    "kill 5",
    "curl x.test",
    "tar xf a",
    "touch a",
    "unheard",
    "xxd -r a b --x",
    "diff --output=a b c",
    "command -x",
    "./node --version",
    "./tar tf a",
    "xxd a b",
    "yarn why x",
    "ss -K dst x",
    "arch -x86_64 rm x",
    "python3.12 -V",
  ])("%s is not", (text) => {
    expect(analyze(text).commands.every(({ readOnly }) => readOnly)).toBe(false);
  });
});
