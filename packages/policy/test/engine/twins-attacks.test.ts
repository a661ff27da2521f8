import { describeTwins } from "./twins.ts";

const bashAllowed = { fallback: { bash: "allow" } };
const noWrite = { id: "prot", effect: "deny", path: { glob: "prot/**", action: "write" } };
const allowAll = (...words: readonly string[]) => ({
  rules: [{ id: "ok", effect: "allow", command: words.map((prefix) => ({ prefix })) }],
});
const files = { "/w/prot/a": "x", "/w/a.txt": "x", "/w/sub/b.txt": "x" };

describeTwins([
  {
    promise: "H: who may not write a file may neither remove it nor move it away",
    user: { ...bashAllowed, rules: [noWrite] },
    files,
    deny: [
      "echo x > prot/a",
      "rm prot/a",
      "rm -rf prot",
      "mv prot/a x",
      "mv prot x",
      "git rm prot/a",
      "git mv prot/a x",
      "unlink prot/a",
      "rmdir prot/b",
      "shred -u prot/a",
      "trash prot/a",
      "find prot -delete",
      "cd prot && rm a",
    ],
    allow: ["cat prot/a", "rm a.txt", "cp prot/a x"],
  },
  {
    promise: "H: an allow for writing is none for deleting",
    user: { rules: [{ id: "w", effect: "allow", path: { glob: "**", action: "write" } }] },
    files,
    ask: ["rm a.txt"],
  },
  {
    promise: "B: what only starts an allowed command needs no rule of its own",
    user: allowAll("git status", "wc"),
    files,
    allow: [
      "timeout 5 git status",
      "nohup git status",
      "setsid git status",
      "bash -c 'git status'",
      "eval git status",
    ],
    ask: [
      "find . -delete -exec wc {} +",
      "find . -fprint out -exec wc {} +",
      "sudo git status",
      "./timeout 5 git status",
      "npm exec -- wc a.txt",
      "bash -c 'git status; ls'",
      "script -c 'git status' out",
      "time -o out git status",
    ],
  },
]);
