import type { ProgramSpec } from "./spec.ts";

const reads = { rest: "read" } as const;
const pattern = { first: "text", rest: "read" } as const;

/** Programs that search, filter and rewrite text. */
export const textTable: readonly ProgramSpec[] = [
  {
    names: ["grep", "egrep", "fgrep", "zgrep", "ggrep", "bzgrep", "xzgrep"],
    follows: ["--dereference-recursive"],
    options:
      "-e,--regexp=text -f,--file=read -r,--recursive -R,--dereference-recursive -i,--ignore-case --no-ignore-case -v,--invert-match -w,--word-regexp -x,--line-regexp -c,--count " +
      "-l,--files-with-matches -L,--files-without-match -m,--max-count=text -o,--only-matching -q,--quiet,--silent -s,--no-messages -b,--byte-offset -H,--with-filename " +
      "-h,--no-filename -n,--line-number -T,--initial-tab -Z,--null -z,--null-data -A,--after-context=text -B,--before-context=text -C,--context=text -a,--text " +
      "-I --binary-files=text -D,--devices=text -d,--directories=text --include=text --exclude=text --exclude-dir=text --exclude-from=read --color?text --colour?text " +
      "-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -U,--binary --line-buffered --label=text -y --group-separator=text --no-group-separator -V,--version --help",
    operands: pattern,
    operandsWith: { "--regexp": reads, "--file": reads },
    tree: ["--recursive", "--dereference-recursive"],
    numeric: true,
    readOnly: true,
    special: "grep",
  },
  {
    names: ["rg"],
    follows: ["--follow"],
    tellsNames: ["--files"],
    options:
      "-e,--regexp=text -f,--file=read --pre=program --pre-glob=text --hostname-bin=program -z,--search-zip! --no-config -i,--ignore-case -S,--smart-case -s,--case-sensitive " +
      "-w,--word-regexp -x,--line-regexp -v,--invert-match -c,--count --count-matches -l,--files-with-matches --files-without-match -o,--only-matching -n,--line-number " +
      "-N,--no-line-number -H,--with-filename -I,--no-filename -A,--after-context=text -B,--before-context=text -C,--context=text -m,--max-count=text -g,--glob=text " +
      "--iglob=text -t,--type=text -T,--type-not=text --type-add=text --type-clear=text --type-list --files -u,--unrestricted -.,--hidden --no-hidden --no-ignore --no-ignore-vcs " +
      "--no-ignore-parent --no-ignore-dot --no-ignore-global --no-ignore-exclude --no-ignore-files --ignore-file=read -d,--max-depth=text --max-filesize=text -L,--follow -F,--fixed-strings " +
      "-P,--pcre2 -U,--multiline --multiline-dotall -a,--text --binary --color=text --colors=text --column --no-column --heading --no-heading --json --vimgrep -p,--pretty -q,--quiet " +
      "-r,--replace=text --sort=text --sortr=text --stats --trim -0,--null --null-data -j,--threads=text --passthru --crlf --encoding=text -E=text --engine=text --context-separator=text " +
      "--field-match-separator=text --field-context-separator=text --include-zero --line-buffered --block-buffered -M,--max-columns=text --max-columns-preview --mmap --no-mmap --no-messages --no-pcre2-unicode " +
      "--one-file-system --path-separator=text --regex-size-limit=text --dfa-size-limit=text --debug --trace -b,--byte-offset --no-require-git --glob-case-insensitive --hyperlink-format=text --stop-on-nonmatch -V,--version -h,--help",
    operands: { first: "text", rest: "read-tree" },
    operandsWith: {
      "--regexp": { rest: "read-tree" },
      "--file": { rest: "read-tree" },
      "--files": { rest: "read-tree" },
      "--type-list": { rest: "text" },
    },
    otherwise: ".",
    readOnly: true,
    special: "rg",
  },
  {
    names: ["ag", "ack", "pt", "ugrep"],
    options:
      "-i -w -l -c -n -r -R -v -Q -S -A=text -B=text -C=text -G=text -g=text --ignore=text --hidden -a --pager=command --color --nocolor --type=text --output=text -o",
    operands: { first: "text", rest: "read-tree" },
    otherwise: ".",
    readOnly: true,
  },
  {
    names: ["sed", "gsed"],
    options:
      "-n,--quiet,--silent -e,--expression=text -f,--file=read -E,-r,--regexp-extended -i?text! --in-place?text! -s,--separate -u,--unbuffered -z,--null-data --posix " +
      "--sandbox -l,--line-length=text --follow-symlinks --debug -a -I?text!",
    readOnly: true,
    special: "sed",
  },
  {
    names: ["awk", "gawk", "mawk", "nawk", "goawk"],
    options:
      "-F,--field-separator=text -v,--assign=text -f,--file=read -e,--source=text -i,--include=environment -l,--load=environment -E,--exec=read -o?write --pretty-print?write -d?write --dump-variables?write " +
      "-p?write --profile?write -b,--characters-as-bytes -c,--traditional -C,--copyright -g,--gen-pot -h,--help -M,--bignum -n,--non-decimal-data -N,--use-lc-numeric -O,--optimize -P,--posix -r,--re-interval -s,--no-optimize " +
      "-S,--sandbox -t,--lint-old -L?text --lint?text -V,--version -W=environment -D?text --debug?text -k,--csv",
    readOnly: true,
    posix: true,
    special: "awk",
  },
  {
    names: ["sort", "gsort"],
    options:
      "-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort " +
      "-R,--random-sort --random-source=read -r,--reverse --sort=text -V,--version-sort --batch-size=text -c,--check?text -C --compress-program=program --debug --files0-from=read " +
      "-k,--key=text -m,--merge -o,--output=write -s,--stable -S,--buffer-size=text -t,--field-separator=text -T,--temporary-directory=write-tree --parallel=text -u,--unique -z,--zero-terminated --help --version",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["uniq"],
    options:
      "-c,--count -d,--repeated -D --all-repeated?text -f,--skip-fields=text --group?text -i,--ignore-case -s,--skip-chars=text -u,--unique -z,--zero-terminated -w,--check-chars=text",
    operands: { first: "read", rest: "write" },
    readOnly: true,
  },
  {
    names: ["cut"],
    options:
      "-b,--bytes=text -c,--characters=text -d,--delimiter=text -f,--fields=text -n --complement -s,--only-delimited --output-delimiter=text -z,--zero-terminated",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["tr"],
    options: "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1",
    operands: { rest: "text" },
    readOnly: true,
  },
  {
    names: ["jq", "gojq", "jaq"],
    options:
      "-n,--null-input -R,--raw-input -s,--slurp -c,--compact-output -r,--raw-output --raw-output0 -j,--join-output -a,--ascii-output -S,--sort-keys -C,--color-output -M,--monochrome-output --tab --indent=text --unbuffered " +
      "--stream --stream-errors --seq -f,--from-file=read -L,--library-path=read-tree -e,--exit-status --arg=text --argjson=text --slurpfile=text --rawfile=text --args --jsonargs -V,--version -h,--help --build-configuration",
    operands: pattern,
    operandsWith: { "--from-file": reads },
    readOnly: true,
    special: "jq",
  },
  {
    names: ["yq"],
    subcommandOptional: true,
    options:
      "-i,--inplace! -n,--null-input -e,--exit-status -o,--output-format=text -p,--input-format=text -P,--prettyPrint -r,--unwrapScalar?text -j,--tojson -C,--colors -M,--no-colors -I,--indent=text -N,--no-doc -s,--split-exp=write " +
      "--from-file=read -v,--verbose --front-matter=text -y -Y -x -c -S -V,--version -h,--help",
    subcommands: {
      "eval,e,eval-all,ea": {
        options:
          "-i,--inplace! -n,--null-input -e,--exit-status -o,--output-format=text -p,--input-format=text -P,--prettyPrint -s,--split-exp=write --from-file=read",
        operands: pattern,
        readOnly: true,
        special: "yq",
      },
    },
    operands: pattern,
    readOnly: true,
    special: "yq",
  },
  {
    names: ["iconv"],
    options: "-f,--from-code=text -t,--to-code=text -o,--output=write -c -l,--list -s,--silent",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["dos2unix", "unix2dos", "sponge"],
    operands: { rest: "write" },
    operandsWith: { "--newfile": { first: "read", rest: "write" } },
    options: "-n,--newfile -a -k,--keepdate -f,--force -q,--quiet -i,--info -c=text",
  },
  {
    names: ["base64", "base32", "gbase64"],
    options: "-d,-D,--decode -i,--ignore-garbage -w,--wrap=text -b=text -o=write",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["ex", "ed", "vi", "vim", "nvim", "view", "emacs", "nano", "pico", "micro", "code"],
    options: "-c=code --cmd=code -S=read -s=read -u=read -e -n -R --eval=code -l=read --script=read --batch",
    operands: { rest: "write" },
    opaque: "an editor runs commands of its own",
  },
];
