import type { ProgramSpec } from "./spec.ts";

/** Programs that find files or programs by name. */
export const searchTable: readonly ProgramSpec[] = [
  {
    names: ["find", "gfind", "bfs"],
    tellsNames: "always",
    follows: ["-L", "-follow"],
    options:
      "-H -L -P -D=text -O1 -O2 -O3 -depth -d -daystart -follow -help -ignore_readdir_race -noignore_readdir_race -maxdepth=text -mindepth=text -mount -xdev -noleaf -regextype=text -warn -nowarn -version " +
      "-amin=text -anewer=read -atime=text -cmin=text -cnewer=read -ctime=text -empty -executable -false -fstype=text -gid=text -group=text -ilname=text -iname=text -inum=text -ipath=text -iregex=text -iwholename=text -links=text " +
      "-lname=text -mmin=text -mtime=text -name=text -newer=read -newermt=text -newerat=text -newerct=text -nogroup -nouser -path=text -perm=text -readable -regex=text -samefile=read -size=text -true -type=text -uid=text -used=text -user=text " +
      "-wholename=text -writable -xtype=text -context=text -files0-from=read -print -print0 -printf=text -ls -prune -quit -not -a -and -o -or -E -X -x -s -f=read-tree " +
      "-delete! -fls=write -fprint=write -fprint0=write -fprintf=write -exec=rest! -execdir=rest! -ok=rest! -okdir=rest!",
    singleDashLong: true,
    readOnly: true,
    special: "find",
  },
  {
    names: ["fd", "fdfind"],
    tellsNames: "always",
    follows: ["--follow"],
    options:
      "-H,--hidden -I,--no-ignore --no-ignore-vcs --no-ignore-parent -u,--unrestricted -s,--case-sensitive -i,--ignore-case -g,--glob --regex -F,--fixed-strings --and=text -a,--absolute-path -l,--list-details -L,--follow -p,--full-path -0,--print0 " +
      "-d,--max-depth=text --min-depth=text --exact-depth=text --prune -t,--type=text -e,--extension=text -S,--size=text --changed-within=text --changed-before=text -o,--owner=text --format=text -c,--color=text --hyperlink?text -E,--exclude=text " +
      "--ignore-file=read -j,--threads=text --max-results=text -1 -q,--quiet --show-errors --base-directory=cwd --path-separator=text --search-path=read-tree --strip-cwd-prefix?text --one-file-system -x,--exec=rest! -X,--exec-batch=rest! --batch-size=text -h,--help -V,--version",
    operands: { first: "text", rest: "read-tree" },
    otherwise: ".",
    readOnly: true,
    special: "fd",
  },
  {
    names: ["locate", "mlocate", "plocate", "mdfind", "whereis"],
    options: "-i -l=text -n=text -c -b -w -r=text -d=read -0 -m -s -B=text -M=text -S=text -f -u --regex",
    operands: { rest: "text" },
    readOnly: true,
  },
  { names: ["which"], options: "-a -s --all --skip-alias", operands: { rest: "text" }, readOnly: true },
];
