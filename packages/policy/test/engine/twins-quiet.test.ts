import { describeTwins } from "./twins.ts";

// Questions that nobody needs, and their neighbours that stay.

const prefixes = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((prefix) => ({ prefix })),
});
const noRecursion = { id: "no-rm-r", effect: "deny", command: { program: "rm", flags: { any: "-r" } } };
const files = { "/w/a.txt": "", "/w/src/x.ts": "" };
const bashAllowed = { fallback: { bash: "allow" } };

describeTwins([
  {
    promise: "a glob is no option where no name begins with a dash, unless the line may have made one",
    user: bashAllowed,
    files: { ...files, "/w/a.log": "" },
    allow: ["rm -f *.log", "sed -i 's/a/b/' *.txt", "ls; rm *.log", "cd src && rm *.ts", "tar czf a.tgz *"],
    ask: ["touch ./-rf; rm *", "npm run x; rm *.log", "cd $X && rm *.log"],
  },
  {
    promise: "a glob may be the option that a name on disk is",
    user: { ...bashAllowed, rules: [noRecursion] },
    files: { "/w/-rf": "", "/w/a.log": "" },
    cautious: ["rm *", "rm *.log"],
  },
  {
    // The variables of a rule that allows a command are the rule's own.
    promise: "where bash is allowed, a variable that nobody knows is set without a question",
    user: { ...bashAllowed, rules: [noRecursion] },
    allow: ["FOO=bar npm test", "env FOO=1 npm test", "export FOO=bar && npm test"],
    ask: [
      "PATH=x npm test",
      "GIT_DIR=x git status",
      "LD_PRELOAD=x ls",
      "NODE_OPTIONS=x npm test",
      "DOTNET_STARTUP_HOOKS=./x.dll dotnet test",
      "R_PROFILE_USER=./x Rscript a.R",
      "OPENSSL_MODULES=. openssl version",
      "TF_CLI_CONFIG_FILE=x terraform plan",
      "CMAKE_TOOLCHAIN_FILE=x cmake -B b",
    ],
    deny: ["FOO=1 rm -rf x"],
  },
  {
    promise: "a rule that allows a command does not allow it variables",
    user: { rules: [prefixes("npm test")] },
    ask: ["FOO=bar npm test", "env FOO=1 npm test", "export FOO=bar && npm test"],
  },
  {
    promise: "a remote and a name are no files that run later",
    user: { ...bashAllowed, rules: [{ id: "evil", effect: "deny", host: "evil.test" }] },
    files: { "/w/.git/config": "" },
    allow: [
      "git remote add u https://x.test/a.git",
      "git remote set-url u https://x.test/a.git",
      "git remote remove u",
      "git config user.name x",
      "git config pull.rebase true",
    ],
    deny: ["git remote add u https://evil.test/a.git", "git remote set-url u git@evil.test:a"],
    ask: [
      "git config core.hooksPath x",
      "git config alias.x '!ls'",
      "git config core.sshCommand x",
      "git config --global user.name x",
      "git config --edit",
      "git remote add u ext::sh",
    ],
  },
  {
    promise: "whoever guards .git is asked before a remote is added",
    user: {
      ...bashAllowed,
      rules: [{ id: "git", effect: "deny", path: { glob: ".git/**", action: "write" } }],
    },
    files: { "/w/.git/config": "" },
    cautious: ["git remote add u https://x.test/a.git", "git config user.name x"],
  },
]);
