import { describeTwins } from "./twins.ts";

// Searches that say which files they read, and words that only look like options.

const prefixes = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((prefix) => ({ prefix })),
});
const files = { "/w/.env": "x", "/w/src/a.ts": "", "/w/sub/.env": "", "/w/secrets/k": "", "/w/k.pem": "" };

describeTwins([
  {
    promise: "a search reads the files that it includes, and no others",
    user: {
      fallback: { bash: "allow" },
      rules: [
        { id: "guarded", effect: "deny", path: { glob: [".env", "secrets/**", "*.pem"], action: "read" } },
      ],
    },
    files,
    allow: [
      "grep -rn K . --include='*.ts'",
      "grep -rn --include=*.ts K .",
      "grep -rn --include '*.ts' --include '*.js' K",
      "grep -rn K --include='*.ts' --exclude='*.test.ts' src",
      "grep -rn K --include='*.ts' --exclude-dir=node_modules .",
      "rg -g '*.ts' K",
      "rg -g '*.ts' -g '!*.test.ts' K src",
    ],
    deny: [
      "grep -rn K --include='.env' .",
      "grep -r K . --include=.env",
      "grep -rn K --include='.e*' .",
      "grep -r K .env --include='*.ts'",
      "grep -r K secrets --include='*.ts'",
      "grep -rn K --include='*.pem' .",
      "rg -g '*.pem' K",
    ],
    cautious: [
      "grep -rn K --exclude=x --include='*.ts' .",
      "grep -Rn K --include='*.ts' .",
      'grep -rn K --include="$X" .',
      "grep -rn K --include='*' .",
      "grep -rn K --include='*.env' .",
      "rg -g '!*.ts' K",
      "rg -g 'sub' K",
      "rg -g '*' K",
      "rg -L -g '*.ts' K",
      "rg --iglob '*.ts' K",
    ],
  },
  {
    promise: "a home folder behind an option's = is meant, whoever puts it in",
    user: { rules: [{ id: "outside", effect: "deny", path: { outside: true } }, prefixes("foo")] },
    deny: ["foo --dir=~/x", "foo x=~/y", "foo -o~/x", "foo ~/x"],
    allow: ["foo a~/x", "foo --x=a~b"],
  },
  {
    promise: "waiting for what runs beside needs no rule",
    user: { rules: [prefixes("git status")] },
    allow: ["git status & wait", "git status; wait"],
    ask: ["git push & wait"],
  },
]);
