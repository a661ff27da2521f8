import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

/** Options that `diff`, `log`, `show` and their like share. */
const diffOptions =
  "-p,-u,--patch -s,--no-patch -U,--unified?text --output=write --raw --patch-with-raw --patch-with-stat --minimal --patience --histogram " +
  "--diff-algorithm=text --stat?text --numstat --shortstat --dirstat?text -X?text --cumulative --summary --compact-summary --name-only --name-status " +
  "-z --color?text --no-color --color-moved?text --word-diff?text --word-diff-regex=text --color-words?text --no-renames --rename-empty --check " +
  "--full-index --binary --abbrev?text -B?text --break-rewrites?text -M?text --find-renames?text -C?text --find-copies?text --find-copies-harder -D " +
  "--irreversible-delete -l=text --diff-filter=text -S=text -G=text --pickaxe-all --pickaxe-regex -O=read -R --relative?text -a,--text " +
  "-b,--ignore-space-change -w,--ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -W,--function-context --exit-code " +
  "--quiet --ext-diff! --no-ext-diff --textconv! --no-textconv --ignore-submodules?text --submodule?text --src-prefix=text --dst-prefix=text " +
  "--no-prefix --default-prefix --line-prefix=text --ita-invisible-in-index -c --cc --combined-all-paths -m --inter-hunk-context=text --anchored=text " +
  "--no-indent-heuristic --indent-heuristic -t --ws-error-highlight=text --skip-to=text --rotate-to=text --max-depth=text";

const logOptions =
  "-n,--max-count=text --skip=text --since=text --after=text --until=text --before=text --author=text --committer=text --grep=text --all-match " +
  "--invert-grep -i,--regexp-ignore-case --basic-regexp -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp --merges --no-merges --first-parent " +
  "--all --branches?text --tags?text --remotes?text --glob=text --exclude=text --reflog -g,--walk-reflogs --cherry-pick --cherry --left-right --left-only --right-only " +
  "--boundary --simplify-by-decoration --full-history --dense --sparse --simplify-merges --ancestry-path?text --date-order --topo-order " +
  "--author-date-order --reverse --graph --oneline --pretty?text --format=text --abbrev-commit --no-abbrev-commit --date=text --relative-date " +
  "--parents --children --decorate?text --no-decorate --decorate-refs=text --source --follow -L=text --show-signature --notes?text --no-notes " +
  "--encoding=text --expand-tabs?text --show-pulls --stdin --min-parents=text --max-parents=text --mailmap --use-mailmap --clear-decorations --log-size --count";

const read: SubcommandSpec = { readOnly: true, special: "git-read" };
const log: SubcommandSpec = { ...read, options: `${logOptions} ${diffOptions}`, numeric: true };
const worktreeWrite: SubcommandSpec = { special: "git-paths" };

const pushOptions =
  "--all,--branches --prune --mirror! -n,--dry-run --porcelain -d,--delete! --tags --follow-tags --signed?text --atomic -o,--push-option=text --receive-pack,--exec=command " +
  "--force-with-lease?text! --force-if-includes -f,--force! --repo=text -u,--set-upstream --thin --no-thin -q,--quiet -v,--verbose --progress --no-progress --recurse-submodules=text " +
  "--verify --no-verify -4,--ipv4 -6,--ipv6 --no-force-with-lease --no-force";

const fetchOptions =
  "--all -a,--append -f,--force --depth=text --deepen=text --unshallow --tags -t -n,--no-tags --prune -p -P,--prune-tags -k,--keep --multiple -j,--jobs=text " +
  "--upload-pack=command --set-upstream -u --recurse-submodules?text -q,--quiet -v,--verbose --progress --dry-run -o,--server-option=text -4 -6 " +
  "--refmap=text --shallow-since=text --shallow-exclude=text --atomic --no-auto-gc --write-fetch-head --filter=text --porcelain";

const subcommands: Readonly<Record<string, SubcommandSpec>> = {
  status: {
    ...read,
    options:
      "-s,--short -b,--branch --show-stash --porcelain?text --long -v,--verbose -u?text --untracked-files?text --ignore-submodules?text --ignored?text -z " +
      "--column?text --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?text",
  },
  log,
  "shortlog,whatchanged,rev-list": {
    ...log,
    options: `-s,--summary -e,--email -w?text --group=text ${logOptions}`,
  },
  show: log,
  "diff,diff-tree,diff-index,diff-files,range-diff": {
    ...log,
    options: `--cached,--staged --no-index --merge-base -1 -2 -3 -0 -r --root ${diffOptions} ${logOptions}`,
  },
  blame: {
    ...read,
    options:
      "-b --root --show-stats -L=text -l -t -S=read --reverse --first-parent -p,--porcelain --line-porcelain --incremental --encoding=text --contents=read " +
      "--date=text -M?text -C?text --ignore-rev=text --ignore-revs-file=read -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w --abbrev=text --color-lines",
  },
  grep: {
    ...read,
    options:
      "-O?command! --open-files-in-pager?command! --cached --no-index --untracked --recurse-submodules -a,--text -I -r -i,--ignore-case -w,--word-regexp -v,--invert-match " +
      "-h -H -E,--extended-regexp -G,--basic-regexp -F,--fixed-strings -P,--perl-regexp -n,--line-number -l,--files-with-matches,--name-only -L,--files-without-match " +
      "-z,--null -o,--only-matching -c,--count --color?text --break --heading -p,--show-function -A,--after-context=text -B,--before-context=text -C,--context=text " +
      "-W,--function-context -m,--max-count=text --threads=text -f=read -e=text --and --or --not --all-match -q,--quiet --max-depth=text --full-name --column " +
      "--ext-grep! --textconv! --no-textconv --exclude-standard",
    numeric: true,
  },
  "rev-parse,merge-base,describe,name-rev,ls-files,ls-tree,cat-file,show-ref,for-each-ref,count-objects,check-ignore,check-attr,check-ref-format,cherry,var,version,help,verify-commit,verify-tag,show-branch,diff-pairs,get-tar-commit-id,patch-id,merge-tree,column,stripspace":
    {
      ...read,
      options:
        "--abbrev-ref?text --short?text --verify -q,--quiet --show-toplevel --git-dir --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --is-bare-repository " +
        "--all -a --tags --long --always --dirty?text --contains?text --exact-match --match=text --exclude=text -t -p -s -e -r -d -l -z -c,--cached -m,--modified -o,--others " +
        "-i,--ignored -u,--unmerged -k,--killed --exclude-standard --error-unmatch --full-name --name-only --name-status --object-only --format=text --sort=text --count=text " +
        "--points-at=text --merged?text --no-merged?text --heads --branches --head -v,--verbose -n,--non-matching -x=text -X=read --exclude-from=read --deduplicate --stage --eol " +
        "--is-ancestor --octopus --fork-point --independent --symbolic --symbolic-full-name --absolute-git-dir --git-common-dir --git-path=text --show-object-format " +
        "--batch?text --batch-check?text --batch-all-objects --textconv! --filters! --path=text --abbrev?text --full-tree --stdin --recurse-submodules -f --directory",
    },
  reflog: { ...log, subcommands: { show: log, list: read, exists: read, "expire,delete,drop": {} } },
  remote: {
    ...read,
    options: "-v,--verbose",
    subcommands: {
      "get-url": { ...read, options: "--push --all" },
      show: { options: "-n", network: true },
      "set-url,add,remove,rm,rename,set-head,set-branches": { special: "git-config" },
      prune: { network: true },
      update: { network: true },
    },
  },
  branch: {
    ...read,
    options:
      "-d,--delete! -D! -m,--move! -M! -c,--copy! -C! -f,--force! -l,--list -a,--all -r,--remotes -v,-vv,--verbose -q,--quiet --color?text --no-color --column?text " +
      "--sort=text --contains?text --no-contains?text --merged?text --no-merged?text --points-at=text --format=text -u,--set-upstream-to=text! --unset-upstream! " +
      "-t,--track?text! --no-track --show-current --edit-description! --create-reflog --abbrev?text -i,--ignore-case --omit-empty",
    special: "git-branch",
  },
  tag: {
    ...read,
    options:
      "-a,--annotate! -s,--sign! -u,--local-user=text! -f,--force! -d,--delete! -v,--verify -n?text -l,--list --sort=text --contains?text --no-contains?text --merged?text " +
      "--no-merged?text --points-at=text -m,--message=text! -F,--file=read! --cleanup=text -e,--edit! --format=text --color?text --column?text --create-reflog -i,--ignore-case",
    special: "git-tag",
  },
  stash: {
    options:
      "-u,--include-untracked -a,--all -k,--keep-index -p,--patch -q,--quiet -m,--message=text -S,--staged --pathspec-from-file=read",
    subcommands: {
      list: log,
      show: { ...log, options: `-u,--include-untracked --only-untracked ${diffOptions}` },
      "push,save": {
        options:
          "-u,--include-untracked -a,--all -k,--keep-index -p,--patch -q,--quiet -m,--message=text -S,--staged",
        ...worktreeWrite,
      },
      "pop,apply": { options: "--index -q,--quiet", special: "git-tree" },
      branch: { special: "git-tree" },
      "drop,clear,create,store,export,import": {},
    },
    special: "git-tree",
  },
  config: {
    options: configOptions(),
    special: "git-config",
    subcommands: {
      "get,list": { ...read, options: configOptions() },
      "set,unset,rename-section,remove-section,edit": { options: configOptions(), special: "git-config" },
    },
  },
  push: {
    network: true,
    options: pushOptions,
    special: "git-push",
  },
  fetch: { network: true, options: fetchOptions, special: "git-remote" },
  pull: {
    network: true,
    options: `${fetchOptions} -r?text --rebase?text --no-rebase --ff --no-ff --ff-only --squash --commit --no-commit --edit --no-edit -s,--strategy=text -X,--strategy-option=text --autostash --allow-unrelated-histories -S?text --stat --no-verify`,
    special: "git-remote",
  },
  "ls-remote": {
    network: true,
    options:
      "-h,--heads -t,--tags --refs --upload-pack,--exec=command -q,--quiet --exit-code --get-url --sort=text --symref -o=text",
    special: "git-remote",
  },
  clone: {
    network: true,
    options:
      "-l,--local -s,--shared --no-hardlinks -q,--quiet -v,--verbose --progress -n,--no-checkout --bare --mirror --template=environment -o,--origin=text -b,--branch=text " +
      "-u,--upload-pack=command -c,--config=environment --depth=text --shallow-since=text --single-branch --no-single-branch --no-tags --recurse-submodules?text --recursive " +
      "--shallow-submodules --separate-git-dir=write-tree -j,--jobs=text --filter=text --sparse --reference=read-tree --dissociate --reference-if-able=read-tree --bundle-uri=url",
    operands: { first: "remote-read", second: "write-tree" },
    special: "git-remote",
  },
  checkout: {
    options:
      "-q,--quiet --progress -f,--force! --ours --theirs -b=text! -B=text! -t,--track?text --no-track -l -d,--detach --orphan=text! --ignore-skip-worktree-bits -m,--merge --conflict=text " +
      "-p,--patch --ignore-other-worktrees --overwrite-ignore --recurse-submodules --overlay --no-overlay --pathspec-from-file=read --pathspec-file-nul --guess --no-guess -2 -3",
    special: "git-checkout",
  },
  switch: {
    options:
      "-c,--create=text! -C,--force-create=text! -d,--detach --guess --no-guess -f,--force,--discard-changes! -m,--merge --conflict=text -q,--quiet --progress -t,--track?text --no-track --orphan=text! --ignore-other-worktrees --recurse-submodules",
    special: "git-checkout",
  },
  restore: {
    options:
      "-s,--source=text -p,--patch -W,--worktree -S,--staged -q,--quiet --progress --ours --theirs -m,--merge --conflict=text --ignore-unmerged --overlay --no-overlay --pathspec-from-file=read --recurse-submodules",
    operands: { rest: "write-tree" },
    operandsWith: { "--worktree": { rest: "write-tree" }, "--staged": { rest: "read" } },
  },
  reset: {
    options:
      "--soft --mixed! --hard! --merge! --keep! -q,--quiet -p,--patch -N,--intent-to-add --pathspec-from-file=read --refresh --no-refresh",
    special: "git-reset",
  },
  clean: {
    options:
      "-d,--directories -f,--force! -i,--interactive! -n,--dry-run -q,--quiet -e,--exclude=text -x,--ignored -X,--only-ignored",
    operands: { rest: "delete-tree" },
    special: "git-clean",
  },
  rm: {
    options:
      "-f,--force! -n,--dry-run -r,--recursive --cached --ignore-unmatch --sparse -q,--quiet --pathspec-from-file=read",
    operands: { rest: "delete" },
    operandsWith: { "--cached": { rest: "read" } },
    tree: ["--recursive"],
  },
  mv: {
    options: "-f,--force -k -n,--dry-run -v,--verbose --sparse",
    operands: { rest: "move", last: "write-tree" },
  },
  add: {
    options:
      "-A,--all,--no-ignore-removal -n,--dry-run -v,--verbose -f,--force -i,--interactive -p,--patch -e,--edit! -u,--update --sparse -N,--intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --chmod=text --pathspec-from-file=read",
    operands: { rest: "read" },
  },
  commit: {
    options:
      "-a,--all -p,--patch -C,--reuse-message=text -c,--reedit-message=text --fixup=text --squash=text --reset-author --short --branch --porcelain --long -z,--null -F,--file=read " +
      "--author=text --date=text -m,--message=text -t,--template=read -s,--signoff --no-signoff --trailer=text -n,--no-verify! --verify --allow-empty --allow-empty-message --cleanup=text -e,--edit " +
      "--no-edit --amend! --no-post-rewrite -i,--include -o,--only --pathspec-from-file=read -u?text --untracked-files?text -v,--verbose -q,--quiet --dry-run --status --no-status -S?text --gpg-sign?text --no-gpg-sign",
  },
  "merge,rebase,cherry-pick,revert": {
    options:
      "--abort --continue --quit --skip -n --no-commit --commit --edit -e --no-edit --ff --no-ff --ff-only --squash --stat --no-stat -s,--strategy=text -X,--strategy-option=text -m,--mainline=text " +
      "--message=text -q,--quiet -v,--verbose -i,--interactive! -x,--exec=command --onto=text --root --autosquash --no-autosquash --autostash --keep-base --force-rebase --signoff --allow-empty --allow-unrelated-histories " +
      "-S?text --gpg-sign?text --no-verify! --rebase-merges?text --update-refs --into-name=text -F,--file=read --apply --merge --fork-point --reset-author-date",
    special: "git-tree",
  },
  "am,apply": {
    options:
      "--stat --numstat --summary --check --index --cached -3,--3way --build-fake-ancestor=write -R,--reverse --reject -z -p=text -C=text --unidiff-zero --apply --no-add --exclude=text --include=text " +
      "--whitespace=text --inaccurate-eof -v,--verbose -q,--quiet --recount --directory=write-tree --unsafe-paths! --allow-overlap -s,--signoff -k,--keep -b --keep-non-patch -i,--interactive --abort --continue --skip --quit --show-current-patch?text --patch-format=text -m --ours --theirs --allow-empty",
    operands: { rest: "read" },
    special: "git-apply",
  },
  archive: {
    options:
      "--format=text -l,--list -v,--verbose --prefix=text -o,--output=write --add-file=read --add-virtual-file=text --worktree-attributes --remote=url --exec=command --mtime=text",
    readOnly: true,
    special: "git-read",
    numeric: true,
  },
  bundle: {
    subcommands: {
      create: {
        options: "-q,--quiet --progress --all --version=text",
        operands: { first: "write", rest: "text" },
      },
      "verify,list-heads": { readOnly: true, operands: { first: "read" } },
      unbundle: { operands: { first: "read" } },
    },
  },
  "format-patch": {
    options: `-o,--output-directory=write-tree -n,--numbered -N,--no-numbered -k,--keep-subject --stdout -s,--signoff -v,--reroll-count=text --cover-letter --subject-prefix=text --thread?text --attach?text --inline?text --start-number=text --suffix=text --base=text ${diffOptions}`,
    numeric: true,
  },
  worktree: {
    subcommands: {
      list: { ...read, options: "--porcelain -v,--verbose -z" },
      add: {
        special: "git-worktree",
        options:
          "-f,--force -b=text -B=text! -d,--detach --checkout --no-checkout --lock --reason=text --orphan -q,--quiet --track --guess-remote",
        operands: { first: "write-tree", rest: "text" },
      },
      remove: { options: "-f,--force!", operands: { rest: "delete-tree" } },
      move: { options: "-f,--force", operands: { first: "move", rest: "write-tree" } },
      "prune,lock,unlock,repair": {},
    },
  },
  submodule: {
    subcommands: {
      status: { ...read, options: "--cached --recursive" },
      summary: read,
      foreach: { options: "--recursive -q,--quiet", posix: true, wraps: { kind: "line" } },
      "add,update,init,deinit,sync,set-url,set-branch,absorbgitdirs": {
        network: true,
        special: "git-submodule",
      },
    },
    options: "-q,--quiet",
  },
  "filter-branch,filter-repo": {
    options:
      "--setup=command --env-filter=command --tree-filter=command --index-filter=command --parent-filter=command --msg-filter=command --commit-filter=command --tag-name-filter=command --subdirectory-filter=text --original=text -d=write-tree -f,--force --prune-empty --all --path=text --path-glob=text --invert-paths --replace-text=read --mailmap=read",
    opaque: "it rewrites history with a program",
    special: "git-tree",
  },
  bisect: {
    subcommands: {
      run: { posix: true, wraps: { kind: "argv" } },
      "log,view,visualize,terms": read,
      "start,bad,good,new,old,skip,reset,replay": { special: "git-tree" },
    },
  },
  "update-ref": {
    options: "-d -m=text --no-deref --stdin -z --create-reflog",
    special: "git-ref-plumbing",
  },
  "symbolic-ref": {
    options: "-q,--quiet -d,--delete! --short --recurse --no-recurse -m=text",
    special: "git-ref-plumbing",
  },
  "fast-import": { options: "--force!", special: "git-ref-plumbing" },
  init: {
    options:
      "-q,--quiet --bare --template=environment --separate-git-dir=write-tree --object-format=text --ref-format=text -b,--initial-branch=text --shared?text",
    operands: { rest: "write" },
    special: "git-init",
  },
  "checkout-index": {
    options:
      "-u,--index -q,--quiet -f,--force -a,--all -n,--no-create --prefix=text --stage=text --temp --stdin -z",
    special: "git-checkout-index",
  },
  "read-tree": {
    options: "-m -u! --reset! -i --prefix=text -n,--dry-run -v --trivial --aggressive --index-output=write",
    writesWithin: "folder",
    writesWith: ["-u"],
    special: "git-other",
  },
  "sparse-checkout": { special: "git-tree" },
  lfs: {
    subcommands: {
      push: { network: true, options: `${pushOptions} --object-id --stdin`, special: "git-push" },
      "pull,checkout": { network: true, special: "git-tree" },
      "fetch,clone,prune,dedup": { network: true },
      "env,ls-files,status,version,logs,locks,pointer": {},
      "track,untrack,install,uninstall,update,lock,unlock,migrate,ext,fsck": { special: "git-other" },
    },
  },
  subtree: {
    options: "-P,--prefix=text -q,--quiet -d,--debug",
    optionsAnywhere: true,
    subcommands: {
      push: { network: true, options: pushOptions, special: "git-push" },
      "pull,merge,add": { network: true, special: "git-tree" },
      split: { options: "-b,--branch=text --rejoin! --onto=text --annotate=text", special: "git-other" },
    },
  },
  "send-pack,http-push": { network: true, options: `${pushOptions} --stdin`, special: "git-push" },
  "svn,p4": {
    network: true,
    subcommands: {
      "rebase,fetch,clone,init,sync": { network: true, special: "git-tree" },
      "dcommit,submit,set-tree,commit-diff": { network: true, special: "git-foreign-push" },
    },
  },
  "send-email": {
    network: true,
    options:
      "--smtp-server=program --sendmail-cmd=command --to-cmd=command --cc-cmd=command --header-cmd=command --smtp-server-port=text --to=text --cc=text",
    operands: { rest: "read" },
    special: "git-other",
  },
  "instaweb,daemon": {
    options:
      "-b,--browser=command -d,--httpd=command -l,--local -p,--port=text --access-hook=command --export-all --base-path=text --reuseaddr",
    opaque: "it starts a server",
    special: "git-other",
  },
  hook: { opaque: "it runs the hooks of the repository", special: "git-other" },
  "maintenance,gui,citool,shell,credential": {
    opaque: "it runs what the configuration names",
    special: "git-other",
  },
  "replace,notes,update-index,write-tree,commit-tree,mktag,mktree,pack-refs,gc,prune,repack,rerere,http-backend,fast-export,upload-pack,receive-pack":
    { special: "git-other" },
  fsck: {
    readOnly: true,
    options:
      "--lost-found! --full --strict --unreachable --dangling --no-dangling --cache -v,--verbose --connectivity-only --root --tags --no-reflogs --progress --no-progress --name-objects",
  },
  "request-pull": { options: "-p", operands: { rest: "text" }, special: "git-request" },
  "hash-object": {
    options: "-w! -t=text --stdin --stdin-paths --path=text --no-filters --literally",
    operands: { rest: "read" },
  },
  difftool: {
    options: "-x,--extcmd=command -t,--tool=text -d,--dir-diff -g,--gui -y,--no-prompt --prompt",
    opaque: "it runs the tool that the configuration names",
  },
  mergetool: { options: "-t,--tool=text -y", opaque: "it runs the tool that the configuration names" },
};

function configOptions(): string {
  return (
    "--global --system --local --worktree -f,--file=read --blob=text --get --get-all --get-regexp --get-urlmatch=text --replace-all! --add! --unset! --unset-all! --rename-section! --remove-section! " +
    "-l,--list --show-origin --show-scope --fixed-value --type=text --bool --int --path --expiry-date -z,--null --name-only --includes --default=text -e,--edit! --all --append! --comment=text --value=text --url=text --regexp"
  );
}

export const gitTable: readonly ProgramSpec[] = [
  {
    names: ["git"],
    options:
      "-C=cwd -c=text! --config-env=environment --exec-path?environment --git-dir=environment --work-tree=environment --namespace=text --super-prefix=text -p,--paginate! -P,--no-pager " +
      "--bare --no-replace-objects --no-lazy-fetch --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-advice -v,--version -h,--help --html-path --man-path --info-path " +
      "--list-cmds=text --attr-source=text",
    subcommands,
    special: "git",
  },
];
