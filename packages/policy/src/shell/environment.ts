import { addDoubt, type Analysis } from "./analysis.ts";

/** Variables that only change language, time zone, colour, or how much is printed. */
const harmless = [
  "TZ",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "NO_COLOR",
  "FORCE_COLOR",
  "CLICOLOR",
  "CLICOLOR_FORCE",
  "COLORTERM",
  "CI",
  "TERM",
  "COLUMNS",
  "LINES",
  "DEBUG",
  "VERBOSE",
  "NODE_ENV",
  "NODE_NO_WARNINGS",
  "PYTHONUNBUFFERED",
  "PYTHONDONTWRITEBYTECODE",
  "RUST_BACKTRACE",
  "RUST_LOG",
  "DO_NOT_TRACK",
  "SOURCE_DATE_EPOCH",
  // What is built for, and where a server listens.
  "GOOS",
  "GOARCH",
  "GOARM",
  "GOAMD64",
  "CGO_ENABLED",
  "PORT",
  "DISABLE_TELEMETRY",
] as const;

/** Variables that name programs, code or configuration, or change how names and files are found. */
const dangerous = [
  "PATH",
  "CDPATH",
  "HOME",
  "IFS",
  "ENV",
  "BASH_ENV",
  "SHELL",
  "SHELLOPTS",
  "BASHOPTS",
  "BASH_FUNC*",
  "PS0",
  "PS1",
  "PS4",
  "PROMPT_COMMAND",
  "GLOBIGNORE",
  "POSIXLY_CORRECT",
  "EXECIGNORE",
  "LD_*",
  "DYLD_*",
  "GIT_*",
  "SSH_*",
  "PAGER",
  "*_PAGER",
  "MANPAGER",
  "EDITOR",
  "*_EDITOR",
  "VISUAL",
  "BROWSER",
  "LESS",
  "LESSOPEN",
  "LESSCLOSE",
  "MORE",
  "NODE_*",
  "NPM_*",
  "npm_*",
  "PNPM_*",
  "YARN_*",
  "BUN_*",
  "DENO_*",
  "PYTHON*",
  "PIP_*",
  "UV_*",
  "VIRTUAL_ENV",
  "PERL*",
  "RUBY*",
  "GEM_*",
  "BUNDLE_*",
  "LUA_*",
  "PHP*",
  "JAVA_*",
  "_JAVA_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "CLASSPATH",
  "MAVEN_*",
  "GRADLE_*",
  "MAKEFLAGS",
  "MAKEFILES",
  "GNUMAKEFLAGS",
  "CC",
  "CXX",
  "CPP",
  "CFLAGS",
  "CXXFLAGS",
  "LDFLAGS",
  "AR",
  "LD",
  "CARGO*",
  "RUSTC*",
  "RUSTUP_*",
  "GO*",
  "CGO_*",
  "TAR_OPTIONS",
  "GREP_OPTIONS",
  "RIPGREP_CONFIG_PATH",
  "RSYNC_*",
  "CURL_*",
  "WGETRC",
  "*_PROXY",
  "*_proxy",
  "DOCKER_*",
  "KUBECONFIG",
  "AWS_*",
  "XDG_*",
  "TMPDIR",
  "TERMINFO",
  "TERMCAP",
  "GCONV_PATH",
  "LOCPATH",
  "HOSTALIASES",
  "RES_OPTIONS",
  "SUDO_*",
  "XAUTHORITY",
  "DISPLAY",
  "GH_*",
  "OPENSSL_CONF",
  "SSL_CERT_*",
  "BAT_*",
  "FZF_*",
  "LS_COLORS",
  "FPATH",
  "ZDOTDIR",
  "BASH_LOADABLES_PATH",
  "INPUTRC",
  "LESSKEY*",
  "VIMINIT",
  "EXINIT",
  "MAILCAPS",
  "HGRCPATH",
  "CMAKE_*",
  "PKG_CONFIG*",
  "OPENSSL_*",
  "GLIBC_TUNABLES",
  "MALLOC_*",
  "DOTNET_STARTUP_HOOKS",
  "DOTNET_ADDITIONAL_DEPS",
  "DOTNET_SHARED_STORE",
  "CORECLR_*",
  "COR_*",
  "COMPlus_*",
  "PSModulePath",
  "ERL_*",
  "ELIXIR_*",
  "R_*",
  "JULIA_*",
  "TCL*",
  "GUILE_*",
  "ANSIBLE_*",
  "TF_CLI_*",
  "HELM_PLUGINS",
  "COMPOSER_*",
  "COREPACK_*",
  "ELECTRON_*",
  "TS_NODE_*",
  "SYSTEMD_*",
  "M4",
  "YACC",
  "LEX",
] as const;

/** Variables whose value is a command line that some program runs. */
const commands = [
  "PAGER",
  "*_PAGER",
  "MANPAGER",
  "EDITOR",
  "*_EDITOR",
  "VISUAL",
  "BROWSER",
  "LESSOPEN",
  "LESSCLOSE",
  "PROMPT_COMMAND",
  "GIT_SSH_COMMAND",
  "GIT_SSH",
  "GIT_EXTERNAL_DIFF",
  "GIT_PROXY_COMMAND",
  "GIT_ASKPASS",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "RSYNC_RSH",
  "CVS_RSH",
  "SVN_SSH",
  "HGEDITOR",
] as const;

/** What is plainly there is read like any command line, so that a deny of it holds. */
export function namesCommand(name: string): boolean {
  return matches(commands, name);
}

function matches(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    if (pattern.endsWith("*")) return name.startsWith(pattern.slice(0, -1));
    if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1));
    return pattern === name;
  });
}

/** A variable that may be set before a command without changing what it runs. */
export function isHarmlessVariable(name: string): boolean {
  return matches(harmless, name);
}

export function isDangerousVariable(name: string): boolean {
  return !isHarmlessVariable(name) && matches(dangerous, name);
}

/** A dangerous variable, or a family of them (`LD_*`), that a name or a prefix with a last `*` stands for. */
export function coversDangerous(pattern: string): string | undefined {
  if (!pattern.endsWith("*")) return isDangerousVariable(pattern) ? pattern : undefined;
  const prefix = pattern.slice(0, -1);
  return dangerous.find((known) => {
    if (known.startsWith("*")) return prefix.endsWith(known.slice(1));
    const name = known.replace(/\*$/, "");
    return name.startsWith(prefix) || (known.endsWith("*") && prefix.startsWith(name));
  });
}

/**
 * A variable is set: for one command (`command`), for all commands after it (`export`), or in this shell only
 * (`shell`). A command's own environment is trusted only where every name in it is known to be harmless.
 */
export function assign(
  analysis: Analysis,
  name: string,
  reach: "command" | "export" | "shell",
  command?: number,
): void {
  if (isHarmlessVariable(name) || matches(analysis.options.harmlessVariables ?? [], name)) return;
  if (name === "HOME" && reach !== "command") analysis.homeChanged = true;
  if (matches(dangerous, name)) {
    addDoubt(analysis, "environment", `${name} is set, which can change what runs`, command);
  } else if (reach !== "shell") {
    const message = `${name} is set, and nobody knows what it changes`;
    addDoubt(analysis, "environment", message, command, { mild: true });
  }
}

/** A variable set by a loop or a builtin. */
export function checkName(analysis: Analysis, name: string): void {
  if (name === "HOME") analysis.homeChanged = true;
  if (isDangerousVariable(name))
    addDoubt(analysis, "environment", `${name} is set, which can change what runs`);
}
