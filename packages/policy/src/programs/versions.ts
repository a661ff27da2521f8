import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

const looks: SubcommandSpec = {};

/** Version control beside git. */
export const versionTable: readonly ProgramSpec[] = [
  {
    names: ["jj"],
    options:
      "-R,--repository=cwd --ignore-working-copy --at-operation=text --config=environment --config-file=environment --color=text --quiet --no-pager -h,--help -V,--version",
    optionsAnywhere: true,
    subcommands: {
      "log,diff,show,status,st,evolog,interdiff,root,version,help": looks,
      git: {
        subcommands: {
          push: {
            network: true,
            options:
              "-b,--bookmark=text --all --tracked --deleted -c,--change=text -r,--revisions=text --remote=text -N,--allow-new --allow-empty-description --allow-private --dry-run",
            special: "jj-push",
          },
          fetch: { network: true },
          clone: { network: true, operands: { first: "remote-read", second: "write-tree" } },
          "init,export,import,remote,root,colocation": looks,
        },
      },
      "bookmark,b,operation,op,file,config,tag,workspace,sparse,util": looks,
      "abandon,absorb,commit,ci,describe,desc,duplicate,edit,fix,new,next,parallelize,prev,rebase,resolve,restore,revert,simplify-parents,split,squash,undo,redo,metaedit":
        { writesWithin: "folder" },
    },
  },
  {
    names: ["hg", "sl"],
    options:
      "-R,--repository=cwd --cwd=cwd -q,--quiet -v,--verbose --config=environment --debug --pager=text -y,--noninteractive -h,--help",
    optionsAnywhere: true,
    subcommands: {
      push: {
        network: true,
        options:
          "-f,--force! -r,--rev=text -B,--bookmark=text -b,--branch=text --to=text --new-branch -e,--ssh=command",
        special: "other-push",
      },
      "pull,clone,incoming,outgoing,in,out": { network: true, options: "-e,--ssh=command -u,--update" },
      "log,diff,status,st,summary,annotate,blame,cat,files,heads,branches,bookmarks,tags,id,identify,root,show":
        looks,
      "update,up,checkout,co,merge,revert,rebase,graft,backout,shelve,unshelve,strip,histedit,import,goto": {
        writesWithin: "folder",
      },
    },
  },
  {
    names: ["svn"],
    options:
      "--username=text --password=text --non-interactive --config-dir=environment --config-option=environment -q,--quiet -r,--revision=text -m,--message=text -F,--file=read --editor-cmd=command --diff-cmd=program --diff3-cmd=program",
    optionsAnywhere: true,
    subcommands: {
      "commit,ci": { network: true, special: "other-push" },
      "checkout,co,export": { network: true, operands: { first: "url", second: "write-tree" } },
      "update,up,switch,sw,merge,revert,resolve,patch": { network: true, writesWithin: "folder" },
      "log,diff,status,st,info,list,ls,cat,blame,praise,annotate": { network: true },
    },
  },
];
