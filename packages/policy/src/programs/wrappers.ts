import type { ProgramSpec } from "./spec.ts";

const argv = { kind: "argv" } as const;

/** Programs whose words are, after their own options, another command. */
export const wrapperTable: readonly ProgramSpec[] = [
  {
    names: ["sudo", "doas", "pkexec", "gosu", "su-exec", "runas"],
    options:
      "-u,--user=text -g,--group=text -h,--host=text -p,--prompt=text -C,--close-from=text -D,--chdir=cwd -R,--chroot=environment -r,--role=text " +
      "-t,--type=text -T,--command-timeout=text -U,--other-user=text -a=text -c=text -A,--askpass -b,--background -E,--preserve-env?text " +
      "-H,--set-home -i,--login -k,--reset-timestamp -K,--remove-timestamp -l,--list -n,--non-interactive -P,--preserve-groups -S,--stdin " +
      "-s,--shell -v,--validate -V,--version -e,--edit! -L",
    posix: true,
    wraps: { kind: "argv", assignments: true, changes: true },
    special: "sudo",
  },
  {
    names: ["sg"],
    options: "-c,--command=command",
    wraps: { kind: "line", skip: 1, changes: true },
  },
  { names: ["newgrp", "capsh"], opaque: "it starts a shell" },
  {
    names: ["su", "runuser"],
    options:
      "-c,--command=command --session-command=command -s,--shell=program -l,--login -m,-p,--preserve-environment -f,--fast -g,--group=text " +
      "-G,--supp-group=text -P,--pty -u,--user=text -w,--whitelist-environment=text",
    operands: { rest: "text" },
    wraps: { kind: "argv", changes: true, only: ["--user"] },
  },
  {
    names: ["env", "genv"],
    options:
      "-i,--ignore-environment -0,--null -u,--unset=text -C,--chdir=cwd -S,--split-string=command -P=environment -v,--debug " +
      "--block-signal?text --default-signal?text --ignore-signal?text --list-signal-handling -a,--argv0=text",
    posix: true,
    readOnly: true,
    wraps: { kind: "argv", assignments: true },
  },
  {
    names: ["xargs", "gxargs"],
    options:
      "-0,--null -a,--arg-file=read -d,--delimiter=text -E=text -e?text --eof?text -I=text -i?text --replace?text -L=text -l?text --max-lines?text " +
      "-n,--max-args=text -o,--open-tty -P,--max-procs=text -p,--interactive --process-slot-var=text -r,--no-run-if-empty -s,--max-chars=text " +
      "--show-limits -t,--verbose -x,--exit -J=text -R=text -S=text",
    posix: true,
    readOnly: true,
    wraps: { kind: "argv", appends: true },
  },
  {
    names: ["parallel"],
    options:
      "-j,--jobs=text -k,--keep-order -a,--arg-file=read -n,--max-args=text -N=text -0,--null -I=text -d,--delimiter=text -C,--colsep=text --bar --eta " +
      "--dry-run --halt=text --joblog=write --results=write-tree --tmpdir=write-tree --timeout=text --retries=text --resume --progress -u,--ungroup " +
      "--group --line-buffer,--lb --tag --will-cite -q,--quote -S,--sshlogin=host -m -X --no-notice --delay=text --wd,--workdir=cwd --pipe --block=text",
    posix: true,
    wraps: { kind: "line", appends: true, until: [":::", "::::", ":::+", "::::+"] },
    special: "parallel",
  },
  {
    names: ["timeout", "gtimeout"],
    options: "-k,--kill-after=text -s,--signal=text -f,--foreground -p,--preserve-status -v,--verbose",
    posix: true,
    readOnly: true,
    wraps: { kind: "argv", skip: 1 },
  },
  {
    names: ["nice"],
    options: "-n,--adjustment=text",
    posix: true,
    numeric: true,
    readOnly: true,
    wraps: argv,
  },
  {
    names: ["arch"],
    options: "-x86_64 -x86_64h -arm64 -arm64e -i386 -32 -64 -c -h -arch=text -d=text -e=text",
    singleDashLong: true,
    posix: true,
    readOnly: true,
    wraps: argv,
  },
  {
    names: ["ionice"],
    options: "-c,--class=text -n,--classdata=text -t,--ignore -p,--pid=text! -P,--pgid=text! -u,--uid=text!",
    posix: true,
    readOnly: true,
    wraps: { kind: "argv", unless: ["--pid", "--pgid", "--uid"] },
  },
  { names: ["renice"], options: "-n,--priority=text -g,--pgrp -p,--pid -u,--user", numeric: true },
  {
    names: ["chrt", "taskset"],
    options:
      "-a,--all-tasks -p,--pid -b,--batch -f,--fifo -i,--idle -o,--other -r,--rr -c,--cpu-list -m,--max -d,--deadline -R,--reset-on-fork -v,--verbose " +
      "-T,--sched-runtime=text -P,--sched-period=text -D,--sched-deadline=text",
    posix: true,
    wraps: { kind: "argv", skip: 1, unless: ["--pid"] },
  },
  { names: ["nohup"], posix: true, readOnly: true, wraps: argv },
  {
    names: ["caffeinate"],
    options: "-d -i -m -s -u -t=text -w=text",
    posix: true,
    readOnly: true,
    wraps: argv,
  },
  { names: ["setsid"], options: "-c,--ctty -f,--fork -w,--wait", posix: true, readOnly: true, wraps: argv },
  {
    names: ["daemonize", "daemon", "systemd-run", "systemd-inhibit"],
    posix: true,
    opaque: "it starts a service of its own",
    wraps: argv,
  },
  {
    names: ["stdbuf", "gstdbuf"],
    options: "-i,--input=text -o,--output=text -e,--error=text",
    posix: true,
    readOnly: true,
    wraps: argv,
  },
  {
    names: ["unbuffer", "rlwrap", "winpty", "catchsegv", "linux32", "linux64", "setarch"],
    posix: true,
    wraps: argv,
  },
  {
    names: ["watch", "viddy"],
    options:
      "-n,--interval=text -d,--differences?text -t,--no-title -b,--beep -e,--errexit -g,--chgexit -c,--color -p,--precise -x,--exec -w,--no-wrap " +
      "-q,--equexit=text -r,--no-rerun -s,--shotsdir=write-tree",
    posix: true,
    readOnly: true,
    wraps: { kind: "line" },
  },
  {
    names: ["time", "gtime"],
    options: "-p,--portability -f,--format=text -o,--output=write -a,--append -v,--verbose -q,--quiet -l -h",
    posix: true,
    readOnly: true,
    wraps: argv,
  },
  {
    names: ["command"],
    options: "-p -v -V",
    posix: true,
    readOnly: true,
    wraps: { kind: "argv", unless: ["-v", "-V"] },
  },
  { names: ["builtin", "nocorrect", "noglob"], posix: true, readOnly: true, wraps: argv },
  { names: ["exec"], options: "-c -l -a=text", posix: true, readOnly: true, wraps: argv, special: "exec" },
  { names: ["eval"], posix: true, readOnly: true, special: "eval" },
  {
    names: ["flock"],
    options:
      "-s,--shared -x,-e,--exclusive -u,--unlock -n,--nonblock,--nb -w,--timeout,--wait=text -o,--close -E,--conflict-exit-code=text -F,--no-fork " +
      "-c,--command=command --verbose",
    posix: true,
    operands: { first: "write", rest: "text" },
    wraps: { kind: "argv", skip: 1 },
    special: "flock",
  },
  {
    names: ["chroot"],
    options: "--userspec=text --groups=text --skip-chdir",
    posix: true,
    wraps: { kind: "argv", skip: 1, changes: true },
  },
  {
    names: ["unshare", "nsenter", "bwrap", "firejail", "setpriv", "fakeroot", "proot"],
    options:
      "-m,--mount?text -u,--uts?text -i,--ipc?text -n,--net?text -p,--pid?text -U,--user?text -C,--cgroup?text -T,--time?text -f,--fork -r,--map-root-user " +
      "-t,--target=text --mount-proc?text -w,--wd?text --reuid=text --regid=text --clear-groups --bind=text --ro-bind=text --dev=text --proc=text",
    posix: true,
    wraps: { kind: "argv", changes: true },
  },
  {
    names: ["strace", "ltrace", "dtruss"],
    options:
      "-f -ff -c -C -q -r -t -tt -T -v -V -x -y -yy -e,--trace=text -o,--output=write -O=text -p,--attach=text -s,--string-limit=text -S=text -u=text " +
      "-E=text -a=text -P=text -b=text -I=text -k -w -n=text -l=text",
    posix: true,
    wraps: argv,
  },
  {
    names: ["hyperfine"],
    options:
      "-p,--prepare=command -s,--setup=command -c,--cleanup=command --conclude=command -w,--warmup=text -r,--runs=text -m,--min-runs=text -M,--max-runs=text -i,--ignore-failure -N -S,--shell=program " +
      "-P,--parameter-scan=text -L,--parameter-list=text -n,--command-name=text -u,--time-unit=text --export-json=write --export-markdown=write --export-csv=write --export-asciidoc=write --export-orgmode=write --show-output --output=text --input=read --style=text",
    special: "lines",
  },
  {
    names: ["concurrently"],
    options:
      "-n,--names=text -c,--prefix-colors=text -p,--prefix=text -k,--kill-others --kill-others-on-fail -s,--success=text -r,--raw -g,--group -m,--max-processes=text --restart-tries=text --restart-after=text -i,--handle-input --hide=text --no-color -P,--passthrough-arguments -t,--timestamp-format=text --teardown=command",
    special: "lines",
  },
  {
    names: ["cross-env", "cross-env-shell", "env-cmd"],
    options: "-f,--file=read",
    posix: true,
    wraps: { kind: "argv", assignments: true },
  },
  {
    names: ["chronic", "ifne", "torsocks", "torify", "proxychains", "proxychains4"],
    options: "-n -q -v -e -f=environment",
    posix: true,
    wraps: argv,
  },
  {
    names: ["faketime", "envdir", "setuidgid"],
    options: "-f=text -p -m",
    posix: true,
    wraps: { kind: "argv", skip: 1, changes: true },
  },
  {
    names: [
      "softlimit",
      "chpst",
      "numactl",
      "prlimit",
      "cgexec",
      "runcon",
      "start-stop-daemon",
      "perf",
      "rr",
      "sem",
    ],
    opaque: "it starts a program, and which of its words that is is not known here",
  },
  {
    names: ["distrobox", "toolbox", "lxc", "incus", "machinectl", "guix", "devbox"],
    opaque: "it runs a command in another place",
  },
  {
    names: ["valgrind", "heaptrack", "entr", "xvfb-run", "dbus-run-session", "cpulimit"],
    posix: true,
    wraps: argv,
    special: "rest-line",
  },
  {
    names: ["script"],
    options:
      "-c,--command=command -a,--append -e,--return -f,--flush -q,--quiet -t,--timing?write -T,--log-timing=write -O,--log-out=write -I,--log-in=write " +
      "-B,--log-io=write -E,--echo=text -m,--logging-format=text -o,--output-limit=text --force -F -r -p -k -d",
    operands: { first: "write", rest: "text" },
    opaque: "it records a shell",
    posix: true,
    wraps: { kind: "argv", skip: 1 },
  },
  {
    names: ["ssh", "mosh", "slogin", "rsh", "autossh"],
    options:
      "-1 -2 -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B=text -b=text -c=text -D=text -E=write -e=text -F=environment -I=environment " +
      "-i=read -J=host -L=text -l=text -m=text -O=text -o=environment -P=text -p=text -Q=text -R=text -S=text -W=host -w=text",
    posix: true,
    operands: { first: "host", rest: "text" },
    network: true,
    special: "ssh",
  },
  { names: ["busybox", "toybox"], posix: true, wraps: argv },
  {
    names: ["screen"],
    options: "-d -m -D -R -r -x -q -L -U -A -S=text -t=text -h=text -s=program -c=environment -p=text -X",
    posix: true,
    opaque: "it runs commands in a terminal of its own",
    wraps: argv,
  },
  {
    names: ["tmux"],
    options: "-L=text -S=text -f=environment -2 -u -v -V",
    subcommands: {
      "ls,list-sessions,lsw,list-windows,lsp,list-panes,has,has-session,capturep,capture-pane": {
        options: "-t=text -s -a -p -e -J -S=text -E=text -F=code",
      },
    },
    opaque: "it runs commands in a terminal of its own",
  },
  { names: ["zellij", "dtach"], opaque: "it runs commands in a terminal of its own" },
  {
    names: ["watchexec"],
    options:
      "-e,--exts=text -w,--watch=read -r,--restart -c,--clear?text -i,--ignore=text -f,--filter=text -s,--signal=text -p,--postpone -n -q,--quiet -v,--verbose --shell=program --debounce=text -d,--delay-run=text --stop-timeout=text",
    posix: true,
    wraps: { kind: "line" },
    special: "rest-line",
  },
  {
    names: ["mise", "rtx", "asdf", "volta", "pyenv", "rbenv", "fnm", "nvm"],
    network: true,
    subcommands: {
      "exec,x,run": {
        posix: true,
        network: true,
        options: "--node=text --npm=text --using=text -c,--command=command",
        wraps: { kind: "argv" },
      },
    },
  },
  {
    names: ["rustup"],
    network: true,
    subcommands: { run: { posix: true, options: "--install!", wraps: { kind: "argv", skip: 1 } } },
  },
  {
    names: ["conda", "mamba", "micromamba"],
    network: true,
    subcommands: {
      run: {
        posix: true,
        options: "-n,--name=text -p,--prefix=text --no-capture-output --live-stream -v --dev --cwd=cwd",
        wraps: { kind: "argv" },
      },
    },
  },
  {
    names: ["nix"],
    network: true,
    subcommands: {
      "develop,shell,env": {
        network: true,
        options: "-c,--command=rest! --impure -i,--ignore-environment -f,--file=execute",
        special: "rest-command",
      },
      run: { network: true, posix: true, opaque: "it runs what a package holds" },
    },
  },
  {
    names: ["nix-shell"],
    network: true,
    options: "--run=command --command=command -p,--packages -I=read-tree --pure -A,--attr=text",
  },
  {
    names: ["gdb", "lldb"],
    options: "--args=rest! -ex=code -iex=code -x,--command=execute -batch -p,--pid=text -o=code",
    opaque: "a debugger runs what it is told",
    special: "rest-command",
  },
  {
    names: ["op", "doppler", "infisical", "dotenvx"],
    options: "-e=read -f=read --env-file=read",
    posix: true,
    subcommands: {
      run: {
        posix: true,
        options:
          "--env-file,-f=read --no-masking --account=text --project,-p=text --config,-c=text --env,-e=text --path=text --command=command --overload -q,--quiet",
        wraps: argv,
        special: "rest-line",
      },
      "item,vault,document,account,user,group,read,whoami,signin,signout,secrets,projects,configs,environments,get,set,login,logout,me":
        { network: true },
    },
    network: true,
    special: "rest-line",
  },
  {
    names: ["direnv", "aws-vault", "chamber"],
    subcommands: {
      exec: {
        posix: true,
        network: true,
        options: "--duration,-d=text -n,--no-session -s,--server --region=text",
        wraps: { kind: "argv", skip: 1 },
        special: "rest-line",
      },
    },
  },
  {
    names: ["pipenv"],
    network: true,
    subcommands: { run: { posix: true, wraps: argv }, "shell,install,sync,lock,update": { network: true } },
  },
  {
    names: ["dotenv", "envchain"],
    options: "-e=read -f=read --env-file=read",
    posix: true,
    wraps: { kind: "argv", skip: 0 },
    special: "rest-line",
  },
];
