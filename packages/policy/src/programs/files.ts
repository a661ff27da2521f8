import type { ProgramSpec } from "./spec.ts";

const reads = { rest: "read" } as const;
const writes = { rest: "write" } as const;

/** Programs that make, move, change and remove files. */
const changing: readonly ProgramSpec[] = [
  {
    names: ["rm"],
    options:
      "-r,-R,--recursive! -f,--force! -i -I --interactive?text -d,--dir -v,--verbose --one-file-system " +
      "--no-preserve-root! --preserve-root?text --help --version",
    operands: { rest: "delete" },
    tree: ["--recursive"],
  },
  { names: ["unlink"], operands: { rest: "delete" } },
  {
    names: ["rmdir"],
    options: "-p,--parents -v,--verbose --ignore-fail-on-non-empty",
    operands: { rest: "delete" },
  },
  {
    names: ["shred", "srm"],
    options:
      "-f,--force -n,--iterations=text --random-source=read -s,--size=text -u,--remove?text -v,--verbose -x,--exact -z,--zero",
    operands: writes,
    operandsWith: { "--remove": { rest: "delete" } },
  },
  { names: ["wipefs", "mkfs", "mkswap", "fdisk", "parted", "sfdisk"], operands: writes },
  {
    names: ["cp"],
    follows: ["--dereference"],
    options:
      "-a,--archive -r,-R,--recursive -t,--target-directory=write-tree -T,--no-target-directory -f,--force -i,--interactive " +
      "-n,--no-clobber -u,--update?text -v,--verbose -p --preserve?text --no-preserve=text -d -L,--dereference -P,--no-dereference -H " +
      "-l,--link -s,--symbolic-link -b --backup?text -S,--suffix=text -x,--one-file-system --parents --reflink?text --sparse=text " +
      "--attributes-only --remove-destination --strip-trailing-slashes -c -Z --context?text",
    operands: { rest: "read", last: "write" },
    operandsWith: { "--target-directory": reads },
    tree: ["--recursive", "--archive"],
  },
  {
    names: ["mv"],
    options:
      "-t,--target-directory=write-tree -T,--no-target-directory -f,--force -i,--interactive -n,--no-clobber -u,--update?text " +
      "-v,--verbose -b --backup?text -S,--suffix=text --strip-trailing-slashes --exchange -Z",
    operands: { rest: "move", last: "write-tree" },
    operandsWith: { "--target-directory": { rest: "move" } },
  },
  { names: ["rename", "prename", "mmv"], opaque: "a renaming expression decides which files are written" },
  {
    names: ["ln", "link", "symlink"],
    options:
      "-s,--symbolic -f,--force -n,--no-dereference -r,--relative -t,--target-directory=write-tree -T,--no-target-directory -v,--verbose " +
      "-b --backup?text -S,--suffix=text -i,--interactive -L,--logical -P,--physical -d,-F,--directory -h",
    operands: { rest: "read", last: "write" },
    operandsWith: { "--target-directory": reads },
    special: "link",
  },
  {
    names: ["mkdir"],
    options: "-p,--parents -m,--mode=text -v,--verbose -Z --context?text",
    operands: writes,
  },
  { names: ["mkfifo", "mknod"], options: "-m,--mode=text -Z", operands: { first: "write", rest: "text" } },
  {
    names: ["mktemp"],
    options: "-d,--directory -u,--dry-run -q,--quiet --suffix=text -p,--tmpdir?write-tree -t",
    operands: writes,
  },
  {
    names: ["touch"],
    options:
      "-a -c,--no-create -d,--date=text -f -h,--no-dereference -m -r,--reference=read -t=text --time=text",
    operands: writes,
  },
  { names: ["tee"], options: "-a,--append -i,--ignore-interrupts -p --output-error?text", operands: writes },
  {
    names: ["install", "ginstall"],
    options:
      "-d,--directory -t,--target-directory=write-tree -m,--mode=text -o,--owner=text -g,--group=text -D -C,--compare -b --backup?text " +
      "-S,--suffix=text -p,--preserve-timestamps -s,--strip --strip-program=program -T,--no-target-directory -v,--verbose",
    operands: { rest: "read", last: "write" },
    operandsWith: { "--directory": writes, "--target-directory": reads },
  },
  {
    names: ["truncate", "fallocate"],
    options:
      "-s,--size=text -l,--length=text -o,--io-blocks -c,--no-create -r,--reference=read -n,--keep-size -p,--punch-hole",
    operands: writes,
  },
  {
    names: ["chmod", "chown", "chgrp", "chcon"],
    options:
      "-R,--recursive! -f,--silent,--quiet -v,--verbose -c,--changes -h,--no-dereference --dereference --from=text --reference=read " +
      "-H -L -P --preserve-root --no-preserve-root!",
    operands: { first: "text", rest: "write" },
    operandsWith: { "--reference": writes },
    tree: ["--recursive"],
    special: "mode",
  },
  {
    names: ["setfacl", "chattr"],
    options:
      "-R,--recursive! -m,--modify=text -x,--remove=text -M,--modify-file=read -X,--remove-file=read -b,--remove-all -k,--remove-default -d,--default -n,--no-mask --restore=read --test -L -P",
    operands: writes,
    tree: ["--recursive"],
  },
  { names: ["dd"], special: "dd" },
  {
    names: ["patch"],
    options:
      "-p,--strip=text -i,--input=read -o,--output=write -d,--directory=cwd -R,--reverse -N,--forward -f,--force -t,--batch -s,--silent " +
      "-b,--backup -B,--prefix=text -z,--suffix=text -r,--reject-file=write -E,--remove-empty-files --dry-run -e,--ed!",
    operands: { first: "write", rest: "read" },
    special: "patch",
  },
  {
    names: ["split", "csplit"],
    options:
      "-l,--lines=text -b,--bytes=text -C,--line-bytes=text -n,--number=text -d,--numeric-suffixes?text -a,--suffix-length=text " +
      "--filter=command --additional-suffix=text -x -e --verbose -f,--prefix=write",
    operands: { first: "read", rest: "write" },
    numeric: true,
  },
  {
    names: ["trash", "trash-put", "gio-trash"],
    operands: { rest: "delete-tree" },
  },
];

/** Programs that only look at files or their names. */
const looking: readonly ProgramSpec[] = [
  {
    names: ["ls", "dir", "vdir", "gls"],
    tellsNames: "always",
    follows: ["--dereference"],
    options:
      "-a,--all -A,--almost-all -l -h,--human-readable -r,--reverse -R,--recursive -t -S -1 -d,--directory -F,--classify?text " +
      "-i,--inode -n,--numeric-uid-gid -g -G,--no-group -o -p -s,--size -c -u -U -X -v -Z,--context -L,--dereference -H -k -m -x -C " +
      "-b,--escape -B,--ignore-backups -N,--literal -q,--hide-control-chars -Q,--quote-name -f -w,--width=text -T,--tabsize=text " +
      "-I,--ignore=text --hide=text --color?text --format=text --sort=text --time=text --time-style=text --full-time --file-type " +
      "--group-directories-first --author --block-size=text --si --indicator-style=text --quoting-style=text --hyperlink?text --zero -D -O -e -@",
    operands: reads,
    tree: ["--recursive"],
    otherwise: ".",
    readOnly: true,
  },
  {
    names: ["tree"],
    tellsNames: "always",
    follows: ["-l"],
    options:
      "-a -d -f -i -l -x -p -s -h -u -g -D -F -q -N -Q -r -t -c -U -v -S -n -C -A -J -X -L=text -P=text -I=text -o=write -H=text -T=text " +
      "-R! --filelimit=text --gitignore --gitfile=read --prune --dirsfirst --filesfirst --noreport --charset=text --si --du " +
      "--timefmt=text --sort?text --matchdirs --ignore-case --inodes --device --info --infofile=read --fromfile --metafirst",
    operands: { rest: "read-tree" },
    otherwise: ".",
    readOnly: true,
  },
  {
    names: [
      "cat",
      "tac",
      "nl",
      "rev",
      "zcat",
      "bzcat",
      "xzcat",
      "strings",
      "od",
      "hexdump",
      "fold",
      "expand",
      "unexpand",
      "fmt",
      "paste",
      "column",
      "cksum",
      "sum",
      "md5sum",
      "sha1sum",
      "sha224sum",
      "sha256sum",
      "sha384sum",
      "sha512sum",
      "b2sum",
      "md5",
      "shasum",
    ],
    options:
      "-A,--show-all -b -e -E,--show-ends -n -s -t -T,--show-tabs -u -v --number --number-nonblank --squeeze-blank " +
      "-c,--check -a -d -z,--zero --tag --text --binary --status --quiet --strict --warn -w=text -l=text -i -x -p -g=text -r -f -C -o",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["shuf", "gshuf"],
    options:
      "-e,--echo -i,--input-range=text -n,--head-count=text -o,--output=write --random-source=read -r,--repeat -z,--zero-terminated",
    operands: reads,
    operandsWith: { "--echo": { rest: "text" } },
    readOnly: true,
  },
  {
    names: ["nm", "objdump", "readelf", "size", "c++filt", "addr2line"],
    options:
      "-a -A -b=text -C,--demangle?text -d,--disassemble?text -D,--disassemble-all -e=read -f -g -h,--section-headers -H -i -l -n -p -r -s -S -t -u -v -V,--version -w -W -x --headers --dyn-syms --no-show-raw-insn -j,--section=text -M=text --help --plugin=execute",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["bat", "batcat"],
    options:
      "--pager=command -P,--no-pager --paging=text --config-file=environment -p,--plain -n,--number -A,--show-all -l,--language=text -H,--highlight-line=text --file-name=text -d,--diff --tabs=text --wrap=text " +
      "--color=text --decorations=text --theme=text --style=text -r,--line-range=text -L,--list-languages --list-themes -f,--force-colorization -s,--squeeze-blank --terminal-width=text -V,--version -h,--help",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["xxd"],
    options: "-a -b -c=text -C -d -e -E -g=text -i -l=text -n=text -o=text -p -r! -s=text -u -v -R=text",
    operands: { first: "read", rest: "write" },
    readOnly: true,
  },
  {
    names: ["head", "tail"],
    options:
      "-n,--lines=text -c,--bytes=text -q,--quiet,--silent -v,--verbose -z,--zero-terminated -f --follow?text -F --retry " +
      "-s,--sleep-interval=text --pid=text --max-unchanged-stats=text -r",
    operands: reads,
    numeric: true,
    readOnly: true,
  },
  {
    names: ["less", "more", "most", "zless"],
    options:
      "-N,--LINE-NUMBERS -S,--chop-long-lines -R,--RAW-CONTROL-CHARS -r,--raw-control-chars -F,--quit-if-one-screen -X,--no-init -i,--ignore-case " +
      "-I,--IGNORE-CASE -E,--QUIT-AT-EOF -e,--quit-at-eof -s,--squeeze-blank-lines -o,--log-file=write -O,--LOG-FILE=write -p,--pattern=text " +
      "-n,--line-numbers -k,--lesskey-file=environment --lesskey-src=environment --lesskey-content=environment -t,--tag=text -T,--tag-file=read -x,--tabs=text " +
      "-P,--prompt=text -K",
    operands: reads,
    special: "pager",
    numeric: true,
    // Interactive: `!` in there runs commands, and LESSOPEN runs a filter.
    readOnly: false,
  },
  {
    names: ["wc"],
    options:
      "-c,--bytes -m,--chars -l,--lines -w,--words -L,--max-line-length --files0-from=read --total=text",
    operands: reads,
    readOnly: true,
  },
  {
    names: ["stat", "file", "readlink", "realpath", "namei", "lsattr", "getfacl"],
    options:
      "-C,--compile! -L,--dereference -f -c,--format=text --printf=text -t,--terse -b,--brief -i,--mime --mime-type --mime-encoding -m=text -e " +
      "-h -k,--keep-going -z -s -n,--no-newline -q,--quiet -P -l -x --canonicalize --canonicalize-existing --canonicalize-missing " +
      "--relative-to=text --relative-base=text -v -d -a -R,--recursive",
    operands: reads,
    readOnly: true,
  },
  // It tells of volumes, not of what lies on them.
  {
    names: ["df"],
    options:
      "-a,--all -h,--human-readable -H --si -i,--inodes -k -l,--local -m -P,--portability -T,--print-type -t,--type=text -x,--exclude-type=text --total -B,--block-size=text --output?text --sync --no-sync",
    operands: { rest: "read" },
    readOnly: true,
  },
  {
    names: ["du"],
    tellsNames: "always",
    follows: ["--dereference"],
    options:
      "-a,--all -h,--human-readable -s,--summarize -c,--total -d,--max-depth=text -k -m -b,--bytes -H --si -i,--inodes -l,--local -P,--portability " +
      "-T,--print-type -t,--type=text -x,--one-file-system -X,--exclude-from=read --exclude=text --time?text --block-size=text -B=text " +
      "-D -L,--dereference -S,--separate-dirs -0,--null --apparent-size --threshold=text --files0-from=read --output?text --sync --no-sync",
    operands: { rest: "read-tree" },
    otherwise: ".",
    readOnly: true,
  },
  {
    names: ["basename", "dirname"],
    options: "-a,--multiple -s,--suffix=text -z,--zero",
    operands: { rest: "text" },
    readOnly: true,
  },
  {
    names: ["diff", "colordiff", "sdiff", "diff3"],
    follows: "always",
    options:
      "-u -U,--unified?text -c -C,--context?text -y,--side-by-side -q,--brief -r,--recursive -N,--new-file -a,--text -b -B -w -i -E -Z " +
      "--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --strip-trailing-cr -x,--exclude=text -X,--exclude-from=read " +
      "-S,--starting-file=text --from-file=read --to-file=read --color?text -W,--width=text -p -F=text -L,--label=text -s,--report-identical-files " +
      "-t -T -d,--minimal -e,--ed -n,--rcs --normal --no-dereference -I=text --suppress-common-lines --tabsize=text --left-column --speed-large-files " +
      "-o,--output=write --diff-program=program",
    operands: reads,
    tree: ["--recursive"],
    readOnly: true,
  },
  {
    names: ["cmp", "comm", "join", "look", "tsort"],
    options:
      "-b,--print-bytes -i,--ignore-initial=text -l,--verbose -n,--bytes=text -s,--quiet,--silent -1 -2 -3 --check-order --nocheck-order " +
      "--output-delimiter=text --total -z -a=text -e=text -j=text -o=text -t=text -v=text --header",
    operands: reads,
    readOnly: true,
  },
];

export const fileProgramsTable: readonly ProgramSpec[] = [...changing, ...looking];
