import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

/** Runs code of the project, which is its own affair, except where an option says in which folder. */
const code: SubcommandSpec = { writesWithin: "chosen" };
const install: SubcommandSpec = { network: true };
/** Writes what belongs to a package below the folder where it works. */
const packs = (writesNames: string, more: SubcommandSpec = {}): SubcommandSpec => ({
  writesWithin: "folder",
  writesNames,
  ...more,
});
const nodeFiles =
  "node_modules package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock .yarn .pnp.cjs bun.lock bun.lockb";
const nodeInstall = packs(nodeFiles, install);
const nodeChange = packs(nodeFiles);
const lookup: SubcommandSpec = { network: true };
const execArgv: SubcommandSpec = { posix: true, wraps: { kind: "argv" } };

const npmOptions =
  "--prefix=cwd -g,--global -D,--save-dev -S,--save -P,--save-prod -O,--save-optional -E,--save-exact -f,--force -s,--silent -q,--quiet -d -y,--yes -w,--workspace=text --workspaces,--ws --json --long -l --registry=url --tag=text --userconfig=environment --globalconfig=environment --script-shell=environment --node-options=environment " +
  "--ignore-scripts --if-present --loglevel=text --omit=text --include=text --dry-run --access=text --otp=text --depth=text --all -a --production --no-save --no-audit --no-fund --legacy-peer-deps --package-lock-only --prefer-offline --offline --cache=write-tree -h,--help -v,--version";

/** Package managers and build tools: nearly all of what they do runs code of the project or of a package. */
export const packageTable: readonly ProgramSpec[] = [
  {
    names: ["npm"],
    special: "global",
    options: npmOptions,
    optionsAnywhere: true,
    aliases:
      "run=run-script,rum,urn test=t,tst install=i,in,ins,inst,insta,instal,isnt,isnta,isntal,isntall,add install-test=it ci=clean-install,ic,install-clean,isntall-clean install-ci-test=cit,clean-install-test,sit uninstall=remove,rm,r,un,unlink update=up,upgrade,udpate exec=x init=create,innit list=ls,la,ll view=info,show,v config=c search=s,se,find rebuild=rb dedupe=ddp explain=why link=ln adduser=add-user docs=home bugs=issues owner=author dist-tag=dist-tags version=verison",
    abbreviates: true,
    subcommands: {
      "run,run-script,rum,urn,test,t,tst,start,stop,restart": code,
      "install,i,in,ins,add,install-test,it,update,up,upgrade,link,ln,audit,dedupe,ddp": nodeInstall,
      "ci,clean-install,rebuild,rb,install-ci-test,cit": packs("node_modules", install),
      "uninstall,remove,rm,un,unlink,prune,version,init,create,innit,set,pkg,shrinkwrap": nodeChange,
      pack: { options: "--pack-destination=write-tree", writesWithin: "chosen" },
      "config,c,cache,edit,explore,login,logout,adduser,completion,doctor": code,
      "publish,unpublish,deprecate,dist-tag,access,owner,team,org,token,profile,hook,star,unstar": install,
      "fund,view,info,show,v,outdated,search,s,find,ping,whoami,docs,repo,bugs,home,diff,sbom,stars,trust,undeprecate,help-search":
        lookup,
      "ls,list,la,ll,explain,why,root,prefix,bin,query,get,help": { readOnly: true },
      "exec,x": {
        options: "-c,--call=command -p,--package=text",
        posix: true,
        network: true,
        wraps: { kind: "argv", unless: ["--call"] },
      },
    },
  },
  {
    names: ["npx", "bunx", "pnpx"],
    options:
      "-c,--call=command -p,--package=text -y,--yes --no -n,--node-arg=text --no-install --ignore-existing -q,--quiet -w,--workspace=text --prefix=cwd --shell=program --shell-auto-fallback?text --bun --registry=url --userconfig=environment --cache=write-tree -v,--version -h,--help",
    posix: true,
    network: true,
    mayStart: true,
  },
  {
    names: ["pnpm"],
    special: "global",
    options:
      "-C,--dir=cwd -r,--recursive -F,--filter=text -w,--workspace-root --stream --silent -s --reporter=text --color --no-color --loglevel=text --parallel --aggregate-output --config?environment --ignore-workspace -h,--help -v,--version -D,--save-dev -P,--save-prod -E,--save-exact -g,--global --frozen-lockfile --no-frozen-lockfile --offline --prefer-offline --ignore-scripts --json --depth=text --long --if-present --registry=url",
    optionsAnywhere: true,
    mayStart: true,
    aliases:
      "run=run-script test=t,tst install=i remove=rm,uninstall,un update=up,upgrade list=ls,la,ll rebuild=rb link=ln config=c view=info,show",
    subcommands: {
      "run,run-script,test,t,tst,start,stop,restart,pack,config,c,env,store,setup,server": code,
      "patch,patch-commit,init,link,ln,unlink,prune,remove,rm,uninstall,un,rb,rebuild,deploy,import,approve-builds":
        nodeChange,
      "install,i,add,update,up,upgrade,fetch,audit,create,dedupe": nodeInstall,
      "publish,self-update": install,
      dlx: { posix: true, network: true, options: "-c,--shell-mode --package=text", mayStart: true },
      exec: { options: "-c,--shell-mode", posix: true, wraps: { kind: "argv" } },
      "view,info,show,outdated,search": lookup,
      "list,ls,la,ll,why,licenses,root,bin,help": code,
    },
  },
  {
    names: ["yarn", "yarnpkg"],
    special: "global",
    options:
      "--cwd=cwd --silent -s --json --verbose --offline --frozen-lockfile --immutable --production --use-yarnrc=environment --ignore-scripts -h,--help -v,--version -D,--dev -W",
    optionsAnywhere: true,
    mayStart: true,
    subcommands: {
      run: { mayStart: true },
      "test,start,build,lint,format,dev,config,pack,set,node,cache,constraints": code,
      "workspaces,workspace": { ...code, special: "exec-word" },
      "link,unlink,remove,version,init,plugin,patch,patch-commit,rebuild,unplug": nodeChange,
      "install,add,up,upgrade,create,import,dedupe": nodeInstall,
      "global,publish,npm,audit": install,
      dlx: { posix: true, network: true, options: "-p,--package=text -q,--quiet", mayStart: true },
      exec: execArgv,
      "info,outdated": lookup,
      "list,why,bin,licenses,help,explain": code,
    },
  },
  {
    names: ["bun"],
    special: "global",
    subcommandOptional: true,
    options:
      "--cwd=cwd -e,--eval=code -p,--print=code -r,--preload=execute --env-file=environment -c,--config?environment --hot --watch --silent -b,--bun --smol -h,--help -v,--version --filter=text -d,--dev -D -g,--global --frozen-lockfile --production --ignore-scripts",
    optionsAnywhere: true,
    mayStart: true,
    aliases: "install=i add=a remove=rm create=c",
    subcommands: {
      run: { mayStart: true, posix: true },
      exec: { opaque: "it runs a shell line" },
      "test,build,pm,repl": code,
      "init,link,unlink,remove,rm,patch": nodeChange,
      "install,i,add,a,update,create,c": nodeInstall,
      "upgrade,publish,audit,outdated,info": install,
      x: { posix: true, network: true, mayStart: true },
    },
  },
  {
    names: ["corepack", "sdk"],
    subcommandWords: 1,
    network: true,
  },
  {
    names: [
      "pipx",
      "uv",
      "poetry",
      "pdm",
      "hatch",
      "rye",
      "gem",
      "bundle",
      "bundler",
      "composer",
      "dnf",
      "yum",
      "apk",
      "pacman",
      "zypper",
      "brew",
      "port",
      "snap",
      "flatpak",
      "choco",
      "winget",
      "scoop",
      "nix-env",
    ],
    options:
      "-r,--requirement=read -e,--editable=read -t,--target=write-tree --prefix=write-tree --index-url=url --extra-index-url=url -c,--constraint=read -y,--yes -q,--quiet -v,--verbose -U,--upgrade -C,--directory=cwd --project=cwd",
    optionsAnywhere: true,
    subcommands: {
      "run,exec": execArgv,
      "list,show,freeze,search,info,outdated,check,help,policy,why,tree": { readOnly: false },
      "install,add,sync,update,upgrade,download,fetch,tap,pull,lock,get": install,
      "remove,uninstall,purge,autoremove,clean,publish,build,init,new,cache,config,python,tool,venv,env,shell,export,create,reinstall,link,unlink,services":
        code,
    },
  },
  {
    names: ["pip", "pip3"],
    options:
      "-r,--requirement=read -e,--editable=read -c,--constraint=read -t,--target=write-tree --root=write-tree --prefix=write-tree --src=write-tree -d,--dest=write-tree -w,--wheel-dir=write-tree --log=write --report=write --cache-dir=write-tree -i,--index-url=url --extra-index-url=url -f,--find-links=url --proxy=host --trusted-host=text --cert=read --client-cert=read --config-settings=text --python=program -y,--yes -q,--quiet -v,--verbose -U,--upgrade --user --no-deps --pre --no-cache-dir --no-input --disable-pip-version-check -h,--help -V,--version --format=text --only-binary=text --no-binary=text --platform=text --force-reinstall --break-system-packages --no-build-isolation",
    optionsAnywhere: true,
    subcommands: {
      "list,show,freeze,check,help,inspect,debug,hash": { readOnly: false },
      "install,download,wheel,index,search,lock": install,
      "uninstall,cache,config,completion": code,
    },
    special: "settings",
  },
  {
    names: ["dpkg", "rpm"],
    options:
      "-i,--install! -U,--upgrade! -F,--freshen! -e,--erase! -E,--eval=code -D,--define=code --pipe=command --root=environment --dbpath=environment --rcfile=environment --macros=environment --unpack! --configure! -r,--remove! -P,--purge! -a,--all -l,--list -L,--listfiles -s,--status -S,--search=text -p,--print-avail -q,--query -c,--contents=read -I,--info=read -V,--verify -f,--file=read --queryformat,--qf=text -h,--hash -v,--verbose --nodeps --force --import=read --initdb! --rebuilddb! -x=read -X=read",
    operands: { rest: "read" },
    special: "system-packages",
  },
  {
    names: ["apt", "apt-get", "aptitude"],
    options:
      "-o,--option=environment -c,--config-file=environment -t,--target-release=text -y,--yes -q,--quiet -V -s,--simulate -d",
    optionsAnywhere: true,
    subcommands: {
      "list,show,search,policy": { readOnly: false },
      "install,update,upgrade,download,full-upgrade,dist-upgrade,build-dep": install,
      "remove,purge,autoremove,clean,autoclean": code,
    },
  },
  {
    names: ["cargo"],
    options:
      "--manifest-path=read -C=cwd --config=environment -Z=text --color=text -q,--quiet -v,--verbose --locked --offline --frozen -h,--help -V,--version --list --release -r --workspace --all --all-targets --all-features --no-default-features -F,--features=text -p,--package=text --exclude=text --bin=text --bins --example=text --lib --test=text --tests --target=text --target-dir=write-tree -j,--jobs=text --profile=text --message-format=text",
    optionsAnywhere: true,
    aliases: "build=b check=c test=t run=r doc=d remove=rm",
    subcommands: {
      "build,b,check,c,test,t,run,r,bench,doc,d,clean,rustc,rustdoc,package,expand,nextest,miri,make,uninstall,report,config":
        code,
      fmt: {
        options: "--check --emit=text",
        writesWithin: "folder",
        writesUnless: ["--check"],
        handsOn: true,
      },
      fix: { options: "--allow-dirty --allow-staged --broken-code --edition", writesWithin: "folder" },
      clippy: {
        options: "--fix! --allow-dirty --allow-staged --no-deps",
        writesWithin: "folder",
        writesWith: ["--fix"],
      },
      "new,init": { options: "--vcs=text --edition=text --name=text", operands: { rest: "write-tree" } },
      "remove,rm": packs("Cargo.toml Cargo.lock"),
      watch: {
        options: "-x,--exec=text -s,--shell=command -w,--watch=read -i,--ignore=text -c -q --why --postpone",
      },
      "update,add,generate-lockfile": packs("Cargo.toml Cargo.lock", {
        ...install,
        options: "--git=url --branch=text --tag=text --rev=text --path=read-tree --registry=text",
      }),
      vendor: { ...install, operands: { rest: "write-tree" }, otherwise: "vendor" },
      install: {
        ...install,
        options: "--git=url --root=write-tree --path=read-tree -f,--force --index=url --registry=text",
      },
      "fetch,publish,yank,owner,login,logout,search,info,audit": install,
      "metadata,tree,pkgid,locate-project,read-manifest,verify-project,version,help": code,
    },
  },
  {
    names: ["go"],
    options: "-C=cwd",
    subcommands: {
      fix: { options: "-fix=text -go=text -C=cwd", singleDashLong: true, writesWithin: "folder" },
      run: {
        options:
          "-exec=command -toolexec=command -v -x -n -race -tags=text -mod=text -ldflags=text -gcflags=text -p=text -overlay=read -C=cwd",
        singleDashLong: true,
        posix: true,
        special: "go-run",
      },
      "build,test,vet,tool,work,bug": {
        options:
          "-o=write -exec=command -toolexec=command -v -x -n -race -run=text -bench=text -count=text -cover -coverprofile=write -cpuprofile=write -memprofile=write -outputdir=write-tree -timeout=text -tags=text -mod=text -ldflags=text -gcflags=text -p=text -short -json -overlay=read -vettool=program -C=cwd",
        singleDashLong: true,
      },
      install,
      get: packs("go.mod go.sum", install),
      mod: packs("go.mod go.sum vendor", install),
      fmt: { options: "-n -x -mod=text", writesWithin: "folder", writesUnless: ["-n"] },
      generate: { opaque: "go generate runs the commands that source files name" },
      clean: code,
      "list,version,doc,help": {
        options: "-m -json -f=text -deps -test -e -find -u -versions -all -src -short -v -mod=text",
        singleDashLong: true,
      },
      env: { options: "-w! -u! -json -changed", singleDashLong: true, special: "settings" },
    },
  },
  {
    names: ["make", "gmake", "bmake", "remake"],
    options:
      "-C,--directory=cwd -f,--file,--makefile=execute -I,--include-dir=read-tree -j?text --jobs?text -k,--keep-going -n,--just-print,--dry-run,--recon -B,--always-make -s,--silent,--quiet -e,--environment-overrides -i,--ignore-errors -l?text --load-average?text -o,--old-file=text -W,--what-if=text -p,--print-data-base -q,--question -r,--no-builtin-rules -R -S -t,--touch -v,--version -w,--print-directory --no-print-directory -d --debug?text --trace -E,--eval=code -O?text --output-sync?text -h,--help",
    operands: { rest: "text" },
    writesWithin: "chosen",
    special: "make",
  },
  {
    names: [
      "sbt",
      "lein",
      "rebar3",
      "dotnet",
      "msbuild",
      "xcodebuild",
      "turbo",
      "nx",
      "lerna",
      "vitest",
      "jest",
      "mocha",
      "mypy",
      "pre-commit",
      "playwright",
      "cypress",
    ],
    options:
      "-o,--output=write --output-file=write --outDir=write-tree --outdir=write-tree -C=cwd -c,--config=read --fix! --write! -p,--project=read -w,--watch",
    subcommandWords: 0,
    special: "exec-word",
  },
  {
    names: ["rustc"],
    options:
      "-o=write --out-dir=write-tree --emit=text -L=text -l=text -C=text --codegen=text --extern=text --crate-type=text --crate-name=text --edition=text -g -O --test --cfg=text --target=text --sysroot=environment -Z=text -v,--verbose -V,--version --print=text --explain=text -A=text -W=text -D=text",
    operands: { rest: "read" },
    special: "rustc",
  },
  {
    names: ["gcc", "g++", "cc", "c++", "clang", "clang++", "tcc", "ld", "as", "nasm", "ghc"],
    options:
      "-o=write -c -S -E -g -O?text -W?text -f?text -I=read-tree -isystem=read-tree -iquote=read-tree -idirafter=read-tree -imacros=read -L=read-tree -F=read-tree -l?text -D?text -U?text -std?text -B=environment -specs?environment -wrapper=code -fplugin?environment -plugin=environment -T=read -Xlinker=text -Xclang=text -x=text -e=text -include=read -M -MM -MD -MMD -MP -MF=write -MT=text -MQ=text -shared -static -v -pipe -march?text",
    singleDashLong: true,
    glued: "oOWfILFlDUBTx",
    operands: { rest: "read" },
    special: "compiler",
  },
];
