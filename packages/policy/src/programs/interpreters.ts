import type { ProgramSpec } from "./spec.ts";

/** Shells and interpreters: what they are given is code. */
export const interpreterTable: readonly ProgramSpec[] = [
  {
    names: ["bash", "sh", "dash", "ash", "zsh", "ksh", "mksh", "rbash", "yash", "posh"],
    options:
      "-c,--command -s -i! -l,--login! -r --restricted --norc --noprofile --posix --rcfile=execute --init-file=execute -e -u -x -v -n -f -a -b -h -m -p -t -B -C -E -H -P -T -k -D -o=text -O=text " +
      "--debugger --dump-strings --dump-po-strings --help --version --verbose --noediting",
    posix: true,
    plusOptions: true,
    readOnly: true,
    special: "shell",
  },
  {
    names: ["fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "cmd"],
    options: "-c,--command=code -C=code",
    posix: true,
    special: "other-shell",
  },
  {
    names: ["python", "python2", "python3", "pypy", "pypy3", "micropython"],
    options:
      "-c=code -m=text! -b -B -d -E -h,--help -i! -I -O -OO -P -q -s -S -u -v -V,--version -W=text -x -X=text --check-hash-based-pycs=text",
    posix: true,
    special: "interpreter",
  },
  {
    names: ["node", "nodejs"],
    options:
      "-e,--eval=code -p,--print=code -pe=code -r,--require=execute --import=execute --loader=execute --experimental-loader=execute -c,--check -i,--interactive -v,--version -h,--help --run=text! --test! --watch --watch-path=read --env-file=environment --env-file-if-exists=environment " +
      "--inspect?text! --inspect-brk?text! --max-old-space-size=text --experimental-strip-types --no-warnings --trace-warnings --trace-deprecation --enable-source-maps --input-type=text --conditions=text -C=text --icu-data-dir=read --openssl-config=read --diagnostic-dir=write-tree --cpu-prof! --heap-prof! --prof! --expose-gc --unhandled-rejections=text --test-reporter=text --test-reporter-destination=write --test-name-pattern=text --experimental-vm-modules --permission --allow-fs-read=text --allow-fs-write=text --title=text --build-snapshot",
    posix: true,
    special: "interpreter",
  },
  {
    names: ["perl"],
    options:
      "-e=code -E=code -n -p -i?text! -l?text -0?text -a -F=text -w -W -X -c -v -V -h -s -S -t -T -u -U -x?text -I=environment -M=environment -m=environment -d?code -C?text",
    posix: true,
    special: "interpreter",
  },
  {
    names: ["ruby", "jruby"],
    options:
      "-e=code -n -p -i?text! -l -a -F=text -w -W?text -c -v -h -s -S -I=environment -r=environment -C=cwd -x?text -E=text -K=text -0?text --version --help",
    posix: true,
    special: "interpreter",
  },
  {
    names: ["php"],
    options:
      "-r=code -B=code -R=code -E=code -F=execute -f=execute -a -c=environment -d=environment -n -i -l -m -s -v -w -S=text! -t=read-tree -z=environment -H -h",
    posix: true,
    special: "interpreter",
  },
  {
    names: [
      "lua",
      "luajit",
      "tclsh",
      "wish",
      "expect",
      "guile",
      "racket",
      "Rscript",
      "R",
      "julia",
      "ocaml",
      "ghci",
      "runghc",
      "swift",
      "scala",
      "groovy",
      "jshell",
      "erl",
      "elixir",
      "iex",
      "clojure",
      "osascript",
      "jrunscript",
      "ipython",
      "tsx",
      "ts-node",
      "esno",
      "jiti",
      "crystal",
      "dart",
      "dc",
      "m4",
      "gnuplot",
      "kotlin",
    ],
    options:
      "-e,--eval,--execute=code -c,--command=code -l=environment -v,--version -h,--help -f,--file=execute",
    posix: true,
    special: "interpreter",
  },
  {
    names: ["sqlite3", "duckdb"],
    options: "-cmd=code -init=execute -readonly -json -csv -header -batch -version",
    singleDashLong: true,
    operands: { first: "write", rest: "code" },
    special: "client",
  },
  {
    names: ["psql", "mysql", "mariadb", "mongosh", "redis-cli"],
    options:
      "-c,--command=code -e,--execute=code --eval=code -f,--file=execute -h,--host=host -U,--username=text -u,--user=text -d,--dbname=text -p,--port=text -o,--output=write -L,--log-file=write",
    operands: { rest: "text" },
    network: true,
    special: "client",
  },
  {
    names: ["deno"],
    subcommandOptional: true,
    options: "-h,--help -V,--version -q,--quiet -L=text",
    subcommands: {
      eval: { opaque: "deno eval runs code" },
      "run,serve,compile": {
        options: "-A,--allow-all! -c,--config=read --import-map=read --env?read --env-file?read",
        posix: true,
        special: "interpreter",
      },
      // Without a file they run what the project's own configuration names.
      "test,bench,task,install,add,cache": { options: "-A,--allow-all! -c,--config=read --import-map=read" },
      fmt: {
        options: "--check --ext=text --ignore=text",
        operands: { rest: "read" },
        writesWithin: "operands",
        writesUnless: ["--check"],
      },
      lint: {
        options: "--fix! --ignore=text",
        operands: { rest: "read" },
        writesWithin: "operands",
        writesWith: ["--fix"],
      },
      "check,doc,info,types": { operands: { rest: "read" } },
    },
  },
  {
    names: ["java"],
    options:
      "-version -jar=execute -cp,-classpath,--class-path=text -D?environment -X?text -agentlib?environment -javaagent?environment --version -version",
    singleDashLong: true,
    posix: true,
    special: "interpreter",
  },
  {
    names: ["javac"],
    options:
      "-version -d=write-tree -cp,-classpath,--class-path=text -processorpath=environment -processor=environment -sourcepath=read-tree --version -g -nowarn -Xlint",
    singleDashLong: true,
    operands: { rest: "read" },
    special: "compiler",
  },
  { names: ["source", "."], posix: true, operands: { first: "execute", rest: "text" }, special: "source" },
];
