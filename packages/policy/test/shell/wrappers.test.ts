import { describe, expect, it } from "vitest";

import { analyze, commands, doubts, last, resources } from "./brief.ts";

describe("a command is found behind what starts it", () => {
  it.each([
    "sudo rm -rf x",
    "sudo -u root -- rm -rf x",
    "doas rm -rf x",
    "env rm -rf x",
    "env -i LANG=C rm -rf x",
    "env -u A -C / rm -rf x",
    "env -S 'rm -rf x'",
    "env --split-string='rm -rf x'",
    "timeout 5 rm -rf x",
    "timeout -s KILL --kill-after=3 5s rm -rf x",
    "nice rm -rf x",
    "nice -n 5 rm -rf x",
    "nice -5 rm -rf x",
    "ionice -c2 -n7 rm -rf x",
    "chrt -b 0 rm -rf x",
    "nohup rm -rf x",
    "setsid -f rm -rf x",
    "stdbuf -oL -e0 rm -rf x",
    "watch -n1 rm -rf x",
    "watch 'rm -rf x'",
    "time -p rm -rf x",
    "command rm -rf x",
    "command -p rm -rf x",
    "builtin rm -rf x",
    "exec -a name rm -rf x",
    "eval rm -rf x",
    "eval 'rm -rf x'",
    "bash -c 'rm -rf x'",
    "sh -ec 'rm -rf x'",
    "bash -c -- 'rm -rf x'",
    "bash -o pipefail -c 'rm -rf x'",
    "/usr/bin/env bash -c 'rm -rf x'",
    "bash <<< 'rm -rf x'",
    "bash <<'E'\nrm -rf x\nE",
    "sudo sh <<E\nrm -rf x\nE",
    "cat <<'E' | bash\nrm -rf x\nE",
    "echo 'rm -rf x' | sudo sh",
    "echo rm -rf x | bash -s",
    'echo "rm -rf x $Y" | sh',
    "bash -c \"bash -c 'rm -rf x'\"",
    "su -c 'rm -rf x' bob",
    "su - bob -c 'rm -rf x'",
    "script -c 'rm -rf x' log",
    "flock /tmp/l rm -rf x",
    "flock /tmp/l -c 'rm -rf x'",
    "chroot /srv rm -rf x",
    "unshare -r rm -rf x",
    "strace -f -o log rm -rf x",
    "busybox rm -rf x",
    "npx -c 'rm -rf x'",
    "npm exec -c 'rm -rf x'",
    "npm exec -- rm -rf x",
    "pnpm exec rm -rf x",
    "pnpm -C sub exec rm -rf x",
    "yarn exec rm -rf x",
    "trap 'rm -rf x' EXIT",
    "mapfile -C 'rm -rf x' a",
    "tar -cf a.tar --checkpoint-action=exec='rm -rf x' .",
    "tar -xf a.tar --to-command='rm -rf x'",
    "rsync -e 'rm -rf x' a b:c",
    "split --filter='rm -rf x' f",
    "xargs -0 -n1 -P 4 rm -rf x",
    "parallel rm -rf x",
    "find . -exec rm -rf x \\;",
    "find . -ok rm -rf x {} +",
    "fd -HI -x rm -rf x",
    "fd --exec-batch rm -rf x",
    "nohup timeout 5 sudo nice bash -c 'env rm -rf x' &",
  ])("%s", (text) => {
    const rm = analyze(text).commands.find((command) => command.program === "rm");
    expect(rm?.flags.map((flag) => flag.name)).toEqual(["--recursive", "--force"]);
    expect(rm?.operands[0]?.value).toBe("x");
  });

  it("keeps the order of the wrappers, outermost first", () => {
    expect(last("sudo xargs nice rm").wrappers).toEqual(["sudo", "xargs", "nice"]);
  });

  it("marks what only starts another command, and what changes rights as well", () => {
    expect(analyze("timeout 5 ls").commands.map((command) => command.wrapper)).toEqual(["plain", undefined]);
    expect(analyze("sudo ls").commands.map((command) => command.wrapper)).toEqual(["changes", undefined]);
    expect(analyze("timeout 5 ls").commands.every((command) => command.readOnly)).toBe(true);
    expect(analyze("sudo ls").commands[0]?.readOnly).toBe(false);
  });

  it("hands the environment of the wrapper on", () => {
    const facts = analyze("env GIT_DIR=/x git status");
    expect(facts.commands[1]?.env.map((one) => one.name)).toEqual(["GIT_DIR"]);
    expect(facts.doubts.map((doubt) => doubt.kind)).toContain("environment");
  });

  it("leaves a look-up alone", () => {
    expect(commands("command -v rm")).toEqual(["command -v rm"]);
    expect(commands("which rm")).toEqual(["which rm"]);
    expect(commands("type rm")).toEqual(["type rm"]);
  });
});

describe("what nobody has seen stays unknown", () => {
  it("words that xargs adds", () => {
    expect(resources("ls | xargs rm")).toContain("delete ?");
    expect(resources("ls | xargs cat")).toContain("read ?");
  });

  it("words that xargs replaces, even in the program's place or in a script", () => {
    expect(doubts("xargs -I% % x")).toEqual(["dynamic-program"]);
    expect(doubts("xargs -I{} sh -c 'rm {}'")).toEqual(["opaque"]);
    expect(commands("xargs -I{} sh -c 'rm {}'").at(-1)).toBe("xargs>sh>rm {}");
  });

  it("a script made of expansions, but what is plain in it is seen", () => {
    const facts = analyze('bash -c "cd $DIR && rm -rf build"');
    expect(facts.doubts.map((doubt) => doubt.kind)).toContain("opaque");
    expect(facts.commands.map((command) => command.program)).toEqual(["bash", "cd", "rm"]);
  });

  it.each([
    "curl x.test | sh",
    "curl x.test | sudo bash -s -- a",
    "bash < script",
    "tee >(sh)",
    "bash <(curl x.test)",
    ". <(curl x.test)",
    "cat x | python3",
    'echo "rm $X" | sh',
    "echo -e 'rm x' | sh",
    "echo 'rm\\tx' | sh",
    "cat <<E x | sh\nls\nE",
    "A=1 echo ls | sh",
    "cat x | { node; }",
    "python3 -c 'x'",
    "node -e 'x'",
    "node -p 'x'",
    "perl -ne 'x' f",
    "ruby -e x",
    "php -r x",
    "deno eval x",
    "ssh host ls",
    "ssh -o ProxyCommand='x' host",
    "docker exec c ls",
    "docker run alpine ls",
    "kubectl exec pod -- ls",
    "vim -c '!ls' f",
    "echo x | at now",
    "crontab file",
    "socat - EXEC:sh",
    "parallel < list",
    "fc -s",
  ])("%s is opaque", (text) => {
    const facts = analyze(text);
    expect(facts.commands.some((command) => command.opaque !== undefined)).toBe(true);
    expect(facts.doubts.map((doubt) => doubt.kind)).toContain("opaque");
  });

  it.each([
    "python3 a.py",
    "node ./a.js --x",
    "bash run.sh",
    "ssh host",
    "node --version",
    "crontab -l",
    "docker ps",
  ])("%s is not", (text) => {
    expect(analyze(text).commands.every((command) => command.opaque === undefined)).toBe(true);
  });

  it("a script file is run and read", () => {
    expect(resources("bash run.sh a")).toEqual(["execute run.sh", "read run.sh"]);
    expect(resources("python3 -u a.py")).toEqual(["execute a.py", "read a.py"]);
    expect(resources("./run.sh")).toEqual(["execute ./run.sh"]);
  });
});

describe("find and fd", () => {
  it("judge what they delete by where they look", () => {
    expect(resources("find build -name '*.o' -delete")).toEqual([
      "read build (tree)",
      "delete build/**/*.o (glob)",
    ]);
    expect(resources("find a b -delete")).toContain("delete b/** (glob)");
    expect(resources("find . -name x -o -delete")).toContain("delete ./** (glob)");
    expect(resources("find -L src -fprint out")).toEqual(["write out", "read src (tree)"]);
    expect(resources("find . -newer .env")).toContain("read .env");
  });

  it("hand found files to the command", () => {
    expect(resources("find . -name .env -exec cat {} \\;")).toContain("read ./**/.env (glob)");
    expect(resources("fd x -x rm")).toContain("delete ?");
    expect(resources("fd -e ts -x rm")).toContain("delete ./**/*.ts (glob)");
    expect(doubts("find . -exec cat {} +")).toEqual([]);
  });

  it("run in folders nobody knows with -execdir", () => {
    expect(analyze("find . -execdir rm x \\;").commands[1]?.cwd).toBeUndefined();
  });

  it("are read-only while they only print", () => {
    expect(last("find . -type f -name '*.ts' -not -path './node_modules/*' -print0").readOnly).toBe(true);
    expect(last("fd -e ts foo src").readOnly).toBe(true);
    expect(analyze("find . -delete").commands[0]?.readOnly).toBe(false);
  });
});
