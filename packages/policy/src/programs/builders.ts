import type { ProgramSpec, SubcommandSpec } from "./spec.ts";

const quiet = "-q,--quiet -v,--verbose -h,--help -V,--version";
/** The project's own code, which is its own affair, except where an option chooses the folder. */
const own: SubcommandSpec = { writesWithin: "chosen" };

/** Task runners, build tools, bundlers and test runners: what they run is what the project's files say. */
export const builderTable: readonly ProgramSpec[] = [
  {
    names: ["just"],
    options: `-f,--justfile=execute -d,--working-directory=cwd -c,--command=rest! --shell=program --shell-arg=text --chooser=command --set=text -n,--dry-run -l,--list --summary --show=text --fmt! --dump --init! --choose! -e,--edit! --dotenv-path=read ${quiet}`,
    operands: { rest: "text" },
    writesWithin: "chosen",
    special: "rest-command",
  },
  {
    names: ["task", "go-task"],
    options: `-t,--taskfile=execute -d,--dir=cwd -l,--list -a,--list-all -n,--dry -s,--silent -f,--force -w,--watch -p,--parallel -i,--init! -g,--global ${quiet}`,
    operands: { rest: "text" },
    writesWithin: "chosen",
  },
  {
    names: ["rake", "thor"],
    options: `-f,--rakefile=execute -e,--execute=code -E,--execute-continue=code -p,--execute-print=code -r,--require=execute -I,--libdir=environment -C,--directory=cwd -R,--rakelibdir=read-tree -T,--tasks -n,--dry-run -s,--silent ${quiet}`,
    operands: { rest: "text" },
    writesWithin: "chosen",
  },
  {
    names: ["gradle", "gradlew"],
    options: `-I,--init-script=execute -b,--build-file=execute -c,--settings-file=execute -p,--project-dir=cwd -g,--gradle-user-home=environment --include-build=execute -D?text -P?text --offline --no-daemon --info --stacktrace -x,--exclude-task=text --tests=text -t,--continuous --parallel ${quiet}`,
    operands: { rest: "text" },
    writesWithin: "chosen",
  },
  {
    names: ["mvn", "mvnw", "mvnd"],
    options: `-f,--file=execute -s,--settings=environment -gs,--global-settings=environment -D?text -P?text -pl,--projects=text -am -rf,--resume-from=text -o,--offline -B,--batch-mode -U -T=text -l,--log-file=write -ntp -DoutputDirectory?write-tree ${quiet}`,
    operands: { rest: "text" },
    special: "mvn",
  },
  {
    names: ["ant"],
    options:
      "-f=execute -file=execute -buildfile=execute -lib=environment -D?text -propertyfile=read -logger=environment -listener=environment -logfile=write -l=write -p -projecthelp -quiet -verbose -version",
    singleDashLong: true,
    operands: { rest: "text" },
  },
  {
    names: ["bazel", "bazelisk", "buck", "buck2"],
    options: "--bazelrc=environment --output_base=write-tree --output_user_root=write-tree",
    subcommands: {
      run: {
        options: "--run_under=command --script_path=write -c,--compilation_mode=text --config=text",
        operands: { rest: "text" },
      },
      "build,test,query,cquery,aquery,clean,fetch,info,version,mod,coverage,sync,shutdown,help": {
        options:
          "--run_under=command -c,--compilation_mode=text --config=text --output_file=write --profile=write",
        operands: { rest: "text" },
      },
    },
  },
  {
    names: ["tox", "nox", "invoke", "inv", "fab", "mage"],
    options: `-c,--conf,--collection=text -f,--noxfile=execute -x,--override=environment -e,-s,--sessions=text -r,--search-root=read -d=cwd -w=cwd -l,--list --workdir=write-tree --root=cwd -p,--parallel?text -H,--hosts=host -i=read ${quiet}`,
    operands: { rest: "text" },
    writesWithin: "chosen",
    special: "exec-word",
  },
  {
    names: ["cmake"],
    options:
      "-E=rest! -P=execute -S=read -B=write-within -C=execute -D?text -U=text -G=text -T=text -A=text --build=write-within --install=write-within --prefix=write-tree --target=text -t=text --config=text -j?text --parallel?text --preset=text --toolchain=execute --open=text --fresh -N -L --graphviz=write --trace-redirect=write --debug-output --version --help -v --clean-first",
    operands: { rest: "read" },
    special: "cmake",
  },
  {
    names: ["ninja", "samu"],
    options: "-C=cwd -f=execute -j=text -k=text -l=text -n -v -d=text -t=text -w=text --version --quiet",
    operands: { rest: "text" },
    writesWithin: "chosen",
  },
  {
    names: ["meson"],
    options: `-C=cwd --buildtype=text -D=text --prefix=write-tree --cross-file=read --native-file=read --wipe ${quiet}`,
    optionsAnywhere: true,
    subcommands: {
      "compile,test,install,dist,init,configure,introspect,wrap,subprojects,rewrite": own,
      setup: { operands: { first: "write-within", rest: "read-tree" } },
    },
  },
  {
    names: ["pytest", "py.test"],
    options: `-p=environment -c,--config-file=execute --rootdir=read -o,--override-ini=environment --confcutdir=read --basetemp=write-tree --junitxml,--junit-xml=write --cov-report=text --cov-config=read --cov?text --log-file=write --debug?write --pastebin=text --ignore=text --ignore-glob=text --deselect=text -k=text -m=text -n=text --maxfail=text -x,--exitfirst -s -l --lf,--last-failed --ff --nf --sw -r=text --tb=text --durations=text -W=text --import-mode=text --co,--collect-only --pdb --timeout=text --color=text --pyargs -W=text --no-header --no-cov ${quiet}`,
    operands: { rest: "read" },
  },
  {
    names: ["rollup", "rolldown"],
    operandsWith: { "--config": { first: "execute", rest: "read" } },
    options: `-o,--file=write -d,--dir=write-tree -c,--config?execute -p,--plugin=execute --configPlugin=execute -f,--format=text -i,--input=read -w,--watch ${quiet}`,
    operands: { rest: "read" },
  },
  {
    names: ["webpack", "parcel", "vite", "rspack", "tsdown", "tsup", "esbuild", "swc", "babel"],
    options: `-o,--output-path,--out-file,--outfile=write -d,--out-dir,--outdir,--outDir,--dist-dir=write-tree -c,--config,--config-file=execute --tsconfig=read --bundle --minify --platform=text --format=text --target=text --sourcemap?text -w,--watch --mode=text --port=text --host?text --root=cwd --metafile=write ${quiet}`,
    operands: { rest: "read" },
  },
  {
    names: ["tsc"],
    options:
      "--outDir=write-tree --outFile=write --declarationDir=write-tree --tsBuildInfoFile=write --generateTrace=write-tree --generateCpuProfile=write -p,--project=read -b,--build -w,--watch --noEmit --init! -v,--version -h,--help --target=text --module=text --lib=text --strict --pretty --showConfig --listFiles --incremental --rootDir=read --esModuleInterop --skipLibCheck --jsx=text",
    operands: { rest: "read" },
  },
  {
    names: [
      "protoc",
      "dot",
      "neato",
      "flex",
      "bison",
      "pandoc",
      "sass",
      "lessc",
      "terser",
      "uglifyjs",
      "magick",
      "convert",
      "ffmpeg",
    ],
    options:
      "-o=write --output=write -out=write --filter=program -F=program --lua-filter=execute --pdf-engine=program -T=text -I=read-tree --proto_path=read-tree -i=read -f=text -t=text --from=text --to=text --plugin=program",
    special: "converter",
  },
  {
    names: ["venv", "virtualenv"],
    options:
      "-p,--python=program --system-site-packages --clear --upgrade --prompt=text --without-pip --symlinks --copies",
    operands: { rest: "write-tree" },
  },
];
