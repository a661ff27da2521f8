import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

/**
 * Looks below its operands, or below here, at the sources of its language and not at whatever lies there; with one of
 * the named options it rewrites what it finds.
 */
function fixer(names: readonly string[], options: string, writesWith: readonly string[]): ProgramSpec {
  return { names, ...fixing(options, writesWith) };
}

function fixing(options: string, writesWith: readonly string[]): SubcommandSpec {
  return { options, operands: { rest: "read" }, otherwise: ".", writesWithin: "operands", writesWith };
}

/** Rewrites what is below its operands, or below here, unless one of the named options keeps it from that. */
function formatter(names: readonly string[], options: string, writesUnless: readonly string[]): ProgramSpec {
  return { names, ...formatting(options, writesUnless) };
}

function formatting(options: string, writesUnless: readonly string[]): SubcommandSpec {
  return { options, operands: { rest: "read" }, otherwise: ".", writesWithin: "operands", writesUnless };
}

/** Programs that rewrite source files in place. What their configuration runs is the project's own code. */
export const formatterTable: readonly ProgramSpec[] = [
  fixer(
    ["eslint", "xo", "standard", "ts-standard", "semistandard"],
    "--fix! --fix-dry-run --fix-type=text -c,--config=read --ext=text -f,--format=text -o,--output-file=write --rule=text --plugin=text --parser=text --parser-options=text --resolve-plugins-relative-to=environment --rulesdir=environment --cache --cache-location=write --cache-file=write --ignore-path=read --ignore-pattern=text --max-warnings=text --quiet --env=text --global=text --no-eslintrc --no-config-lookup --stdin --stdin-filename=text --color --no-color --debug -h,--help -v,--version",
    ["--fix"],
  ),
  fixer(
    ["oxlint", "knip"],
    "--fix! --fix-suggestions! --fix-dangerously! --allow-remove-files! -c,--config=read --tsconfig=read -A,--allow=text -W,--warn=text -D,--deny=text --ignore-path=read --ignore-pattern=text --deny-warnings --max-warnings=text --type-aware --quiet -f,--format=text --threads=text",
    ["--fix", "--fix-suggestions", "--fix-dangerously"],
  ),
  fixer(
    ["stylelint", "markdownlint", "markdownlint-cli2", "textlint", "tslint", "htmlhint"],
    "--fix! -f,--formatter=text -c,--config=read -o,--output-file=write --ignore-path=read --ignore-pattern=text --custom-syntax=text --cache --cache-location=write -q,--quiet",
    ["--fix"],
  ),
  fixer(
    ["prettier"],
    "-w,--write! -c,--check -l,--list-different --config=read --ignore-path=read -u,--ignore-unknown --log-level=text --plugin=execute --parser=text --stdin-filepath=text --cache --cache-location=write --no-config --print-width=text --tab-width=text --find-config-path=read --file-info=read -h,--help -v,--version",
    ["--write"],
  ),
  formatter(
    ["oxfmt"],
    "--check -l,--list-different -c,--config=read --ignore-path=read --threads=text --init! -h,--help -V,--version",
    ["--check", "--list-different", "--help", "--version"],
  ),
  formatter(
    ["black"],
    "-c,--code=text -l,--line-length=text -t,--target-version=text --check --diff --color --fast -q,--quiet -v,--verbose --config=read --include=text --exclude=text --extend-exclude=text --force-exclude=text --stdin-filename=text -W,--workers=text --preview -S,--skip-string-normalization -h,--help --version",
    ["--check", "--diff", "--code", "--help", "--version"],
  ),
  formatter(
    ["isort", "pyupgrade", "docformatter", "djlint"],
    "-c,--check-only,--check -d,--diff -q,--quiet -v,--verbose --profile=text --settings-path=read --settings-file=read -l,--line-length=text --skip=text --stdout -h,--help --version",
    ["--check-only", "--check", "--diff", "--stdout", "--help", "--version"],
  ),
  fixer(
    ["autopep8", "yapf", "clang-format", "autoflake", "google-java-format", "ormolu", "fourmolu", "astyle"],
    "-i,--in-place,--inplace,--replace! -d,--diff -r,--recursive -a,--aggressive -p,--parallel --style=text -style=text -e,--exclude=text --check -n,--dry-run -j,--jobs=text --max-line-length=text --files=read -m,--mode=text",
    ["--in-place", "--inplace", "--replace", "-i"],
  ),
  {
    names: ["ruff"],
    ...fixing(
      "--fix! --fix-only! --add-noqa! --unsafe-fixes --config=read --select=text --ignore=text -q,--quiet -v,--verbose",
      ["--fix", "--fix-only", "--add-noqa"],
    ),
    optionsAnywhere: true,
    subcommandOptional: true,
    subcommands: {
      check: fixing(
        "--diff -w,--watch --output-format=text -o,--output-file=write --target-version=text --preview --statistics --exit-zero --no-cache --cache-dir=write-tree",
        ["--fix", "--fix-only", "--add-noqa"],
      ),
      format: formatting("--check --diff --preview --line-length=text", ["--check", "--diff"]),
      "rule,config,linter,version,help,analyze": {},
      "clean,server": {},
    },
  },
  {
    names: ["biome"],
    options: "--config-path=read --colors=text --use-server --verbose",
    optionsAnywhere: true,
    subcommands: {
      "check,lint,format,migrate,search": fixing(
        "--write! --fix! --apply! --apply-unsafe! --unsafe --staged --changed --since=text --reporter=text --max-diagnostics=text",
        ["--write", "--fix", "--apply", "--apply-unsafe"],
      ),
      ci: { operands: { rest: "read" }, otherwise: "." },
      "init,start,stop,version,rage,explain": {
        writesWithin: "folder",
        writesNames: "biome.json biome.jsonc",
      },
    },
  },
  {
    ...fixer(
      ["gofmt", "goimports", "gofumpt", "gci"],
      "-w! -l -d -s -e -r=text -local=text -cpuprofile=write",
      ["-w"],
    ),
    singleDashLong: true,
  },
  formatter(
    ["rustfmt"],
    "--check --emit=text --edition=text --config=text --config-path=read --backup -l,--files-with-diff -q,--quiet -v,--verbose --print-config=text -h,--help -V,--version",
    ["--check", "--print-config", "--help", "--version"],
  ),
  fixer(
    ["shfmt", "codespell", "typos"],
    "-w,--write,--write-changes! -l,--list -d,--diff -i=text -s -ln=text -ci -bn",
    ["--write", "--write-changes"],
  ),
  {
    names: [
      "buf",
      "taplo",
      "dprint",
      "treefmt",
      "zig",
      "dart",
      "sqlfluff",
      "mix",
      "php-cs-fixer",
      "swiftlint",
      "nixpkgs-fmt",
      "terragrunt",
    ],
    options: "--config=read -q,--quiet -v,--verbose",
    optionsAnywhere: true,
    subcommandOptional: true,
    subcommands: {
      "fmt,format,fix,hclfmt,autocorrect": formatting(
        "--check --diff -d,--dry-run --check-formatted --output=text --set-exit-if-changed -w,--write!",
        ["--check", "--dry-run", "--check-formatted", "--diff"],
      ),
      lint: fixing("--fix! --config=read", ["--fix"]),
      // What else they do is to build and to run what the project holds.
      "build,run,test,exec,generate,check,describe,list-files": {},
    },
  },
  fixer(
    ["rubocop", "standardrb"],
    "-a,--autocorrect,--auto-correct! -A,--autocorrect-all,--auto-correct-all! -x,--fix-layout! --fix! --auto-gen-config! -c,--config=read -f,--format=text -o,--out=write --only=text --except=text -r,--require=execute -P,--parallel -D -E -l,--lint",
    [
      "--autocorrect",
      "--auto-correct",
      "--autocorrect-all",
      "--auto-correct-all",
      "--fix-layout",
      "--fix",
      "--auto-gen-config",
    ],
  ),
  formatter(
    [
      "swiftformat",
      "stylua",
      "scalafmt",
      "fantomas",
      "elm-format",
      "nixfmt",
      "alejandra",
      "phpcbf",
      "perltidy",
      "ktfmt",
      "uncrustify",
      "gdformat",
    ],
    "--lint --check --dryrun --test -c,--config=read --validate -q,--quiet -v,--verbose --yes -st",
    ["--lint", "--check", "--dryrun", "--test", "--validate"],
  ),
  fixer(["ktlint"], "-F,--format! --reporter=text --editorconfig=read -l,--log-level=text", ["--format"]),
  fixer(
    ["ast-grep", "jscodeshift", "comby", "fastmod", "sad"],
    "-U,--update-all! -i,--in-place! -i! -t,--transform=execute --pattern=text -p=text -r=text --rewrite=text -d,--dry --commit!",
    ["--update-all", "--in-place", "-i", "--transform", "--commit"],
  ),
];

const names: ReadonlySet<string> = new Set(formatterTable.flatMap((spec) => spec.names));

/** Whether a name is that of a program which may rewrite source files. */
export function isFormatter(name: string): boolean {
  return names.has(name);
}
