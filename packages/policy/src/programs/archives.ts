import type { ProgramSpec } from "./spec.ts";

/** Programs that pack and unpack. */
export const archiveTable: readonly ProgramSpec[] = [
  {
    names: ["tar", "gtar", "bsdtar"],
    follows: ["--dereference"],
    options:
      "-c,--create! -x,--extract,--get! -t,--list -r,--append! -u,--update! -d,--diff,--compare -A,--catenate,--concatenate! --delete! -f,--file=text -C,--directory=cwd -z,--gzip,--gunzip -j,--bzip2 -J,--xz --zstd --lz4 --lzma -a,--auto-compress " +
      "-I,--use-compress-program=command --to-command=command --checkpoint?text --checkpoint-action=text! -F,--info-script,--new-volume-script=command --rsh-command=command --rmt-command=command -v,--verbose -p,--preserve-permissions -P,--absolute-names! -k,--keep-old-files " +
      "-m,--touch -o --no-same-owner --same-owner --no-same-permissions -O,--to-stdout --overwrite --overwrite-dir --skip-old-files --unlink-first -U --recursive-unlink! --remove-files! --strip-components=text --strip=text -T,--files-from=read -X,--exclude-from=read --exclude=text --exclude-vcs --exclude-vcs-ignores " +
      "--transform,--xform=text -s=text -h,--dereference -l -L,--tape-length=text -M,--multi-volume -N,--newer=text -g,--listed-incremental=write --index-file=write --one-top-level?write-tree -w,--interactive -W,--verify -S,--sparse -b,--blocking-factor=text -B -i -n -R --owner=text --group=text --mode=text --mtime=text --sort=text --format=text -H=text --numeric-owner --no-recursion --wildcards --totals -V,--label=text --warning=text --anchored --null -K=text",
    bundle: true,
    special: "tar",
  },
  {
    names: ["zip"],
    follows: "always",
    options:
      "-r,--recurse-paths -q,--quiet -v -0 -1 -9 -j -m,--move! -u,--update -f,--freshen -d,--delete -e,--encrypt -P=text -x=text -i=text -y -T,--test -TT,--unzip-command=command -o -X -D -b=write-tree -O=write -s=text -n=text -@ -l -ll -g -A -F -FF",
    operands: { first: "write", rest: "read" },
    tree: ["--recurse-paths"],
  },
  {
    names: ["7z", "7za", "7zr", "7zz"],
    options:
      "-o?write-tree -p?text -t?text -m?text -x?text -i?at-read -r?text -w?write-tree -v?text -y -bd -bb?text -bs?text -so -si?text -ssc?text -scs?text -slt -sdel! -spf! -ao?text -u?text",
    optionsAnywhere: true,
    subcommands: {
      "a,u": { operands: { first: "write", rest: "read-tree" } },
      "x,e": { operands: { first: "read", rest: "text" }, writesWithin: "folder" },
      "l,t": { operands: { first: "read", rest: "text" }, readOnly: true },
      "d,rn": { operands: { first: "write", rest: "text" } },
      "b,h,i": { operands: { rest: "read" } },
    },
  },
  {
    names: ["unzip", "unrar", "unar", "jar"],
    options:
      "-l -t -v -Z -z -p -c -f -u -x=text -d=write-tree -j -o -n -q -qq -a -C -L -P=text -X -K -M -O=text -I=text -W -b",
    operands: { first: "read", rest: "text" },
    special: "unzip",
  },
  {
    names: [
      "gzip",
      "gunzip",
      "bzip2",
      "bunzip2",
      "xz",
      "unxz",
      "zstd",
      "unzstd",
      "lz4",
      "lzip",
      "compress",
      "uncompress",
      "brotli",
      "pigz",
    ],
    options:
      "-c,--stdout,--to-stdout -d,--decompress,--uncompress -f,--force -k,--keep -l,--list -n,--no-name -N,--name -q,--quiet -r,--recursive -t,--test -v,--verbose -S,--suffix=text -T,--threads=text -z,--compress -e -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best --rm! -o,--output=write -D=read --files?read",
    tree: ["--recursive"],
    special: "compress",
  },
  {
    names: ["cpio", "ar", "pax"],
    options:
      "-i,--extract! -o,--create -t,--list -p,--pass-through! -d -m -u -v -F,--file=write -I=read -O=write -D,--directory=cwd -r! -w -s=text --absolute-filenames --no-absolute-filenames",
    operands: { rest: "write" },
    writesWithin: "folder",
    writesWith: ["--extract", "--pass-through", "-r"],
    special: "members",
  },
];
