/**
 * What is known about a program, as data. Options are written in a small notation, one entry a blank-separated
 * word, so that a program reads like its usage line:
 *
 *   -r,-R,--recursive      a flag; the first `--long` name is its canonical name, else the first name
 *   -f,--file=read         takes a value, glued, after `=` or as the next word; the value is a path that is read
 *   --color?text           takes a value only when glued or after `=`
 *   -exec=rest!            takes all words up to `;`, or up to `{} +`
 *   --fix!                 changes something: a command that has it is not read-only
 */
const roles = [
  /** Says nothing about a resource. */
  "text",
  /** The words of a command. */
  "rest",
  "read",
  "read-tree",
  "write",
  "write-tree",
  /** Some of what is below is written, and only the program knows which. */
  "write-within",
  "delete",
  "delete-tree",
  /** Read and then gone from there, as the source of `mv` is. */
  "move",
  /** A file that is run. */
  "execute",
  /** A program that is started with words that nobody has seen. */
  "program",
  /** A shell command line. */
  "command",
  /** Code in another language. */
  "code",
  "url",
  "host",
  /** `host:path`, or a local path. */
  "remote-read",
  "remote-write",
  /** `@path` is read, anything else is text. */
  "at-read",
  /** The folder that later paths are relative to. */
  "cwd",
  /** Decides which configuration or code is loaded. */
  "environment",
  /** The name of a shell variable, whose subscript would be evaluated. */
  "name",
] as const;

/** What a word means to the program it is given to. */
export type Role = (typeof roles)[number];

export interface OperandRoles {
  readonly first?: Role;
  readonly second?: Role;
  readonly rest?: Role;
  readonly last?: Role;
}

/** How a program starts another one. */
export interface WrapSpec {
  /** What the started command is: the words that follow, one shell line made of them, or something unseen. */
  readonly kind: "argv" | "line" | "opaque";
  /** Operands that come before the command. */
  readonly skip?: number;
  /** `opaque`: the first operand is the name of the place. */
  readonly place?: true;
  /** `NAME=value` words before the command set its environment. */
  readonly assignments?: boolean;
  /** Words that nobody has seen are added at the end. */
  readonly appends?: boolean;
  /** The command ends at this word. */
  readonly until?: readonly string[];
  /** With one of these flags it starts nothing. */
  readonly unless?: readonly string[];
  /** It changes rights, root or machine, and is an act of its own. */
  readonly changes?: boolean;
  /** Only when one of these flags is there. */
  readonly only?: readonly string[];
}

export interface SubcommandSpec {
  readonly options?: string;
  readonly operands?: OperandRoles;
  /** Operand roles that hold instead when the flag of that canonical name is present; the first that is wins. */
  readonly operandsWith?: Readonly<Record<string, OperandRoles>>;
  /** Flags that make a path mean the whole tree below it. */
  readonly tree?: readonly string[];
  /** The path that is meant when there is no path operand. */
  readonly otherwise?: string;
  /** No effect but reading its resources and printing, unless a flag or an operand says otherwise. */
  readonly readOnly?: boolean;
  readonly subcommands?: Readonly<Record<string, SubcommandSpec>>;
  /** Other names of its subcommands: `run=run-script,rum test=t`. Rules may use any of them. */
  readonly aliases?: string;
  /** The beginning of a subcommand's name is enough, where only one begins so. */
  readonly abbreviates?: true;
  /** Its word only groups what is below it: `docker container rm` is `docker rm`. */
  readonly groups?: true;
  /** Its options are understood after the subcommand too. */
  readonly optionsAnywhere?: boolean;
  /** It has no options: every word is an operand. */
  readonly noOptions?: boolean;
  /** None of its options, known or not, does more than change what it prints. */
  readonly anyOptions?: boolean;
  /** The first operand need not be a subcommand. */
  readonly subcommandOptional?: boolean;
  /** Words that name the subcommand when `subcommands` is not spelled out. */
  readonly subcommandWords?: number;
  /** Options end at the first operand. */
  readonly posix?: boolean;
  /** `-name` is one long option, never a cluster. */
  readonly singleDashLong?: boolean;
  /** Letters of one-dash options whose value may be glued all the same, as in `gcc -oout`. */
  readonly glued?: string;
  /** The first word may be a bundle of option letters without a dash. */
  readonly bundle?: boolean;
  /** `-5` and `+5` are flags. */
  readonly numeric?: boolean;
  /** `+x` switches `-x` off; `+o` and `+O` take a name. */
  readonly plusOptions?: boolean;
  /** Its first operand is the name of a script or of any program. */
  readonly mayStart?: boolean;
  readonly wraps?: WrapSpec;
  /** Why nobody can see into what it runs, whatever its words. */
  readonly opaque?: string;
  /**
   * It writes some of what is below a folder, and only the program knows which: its operands, or where it works if it
   * has none; where it works; or there only if an option chose that folder, as `make -C dir` does.
   */
  readonly writesWithin?: "operands" | "folder" | "chosen";
  /** The names there that it writes, blank-separated, where it writes no others. */
  readonly writesNames?: string;
  /** The options that make it write; without one of them it only looks. */
  readonly writesWith?: readonly string[];
  /** The options that keep it from writing. */
  readonly writesUnless?: readonly string[];
  /** The options that make it follow links below what it reads; `always`: it does so without one. */
  readonly follows?: readonly string[] | "always";
  /** Of what is below a folder it tells the names and not what the files hold; with a list: with one of these options. */
  readonly tellsNames?: "always" | readonly string[];
  /** What stands after `--` are options of a program that it starts. */
  readonly handsOn?: boolean;
  /** It reaches a host that its words do not name. */
  readonly network?: boolean;
  /** Name of the extra reading of its words, see `shell/special/table.ts`. */
  readonly special?: string;
}

export interface ProgramSpec extends SubcommandSpec {
  readonly names: readonly string[];
}

export interface CompiledOption {
  /** Canonical name. */
  readonly name: string;
  readonly takes: "nothing" | "value" | "glued" | "rest";
  readonly role: Role;
  /** It does more than change what is read and printed. */
  readonly unsafe: boolean;
}

export interface CompiledSpec extends Omit<SubcommandSpec, "options" | "subcommands" | "aliases"> {
  readonly options: ReadonlyMap<string, CompiledOption>;
  readonly longNames: readonly string[];
  readonly subcommands: ReadonlyMap<string, CompiledSpec> | undefined;
  /** The name that counts, by each other name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Some option of it is unsafe, so a word that might be an option matters. */
  readonly hasUnsafe: boolean;
}

const safeRoles: ReadonlySet<Role> = new Set<Role>(["text", "read", "read-tree", "at-read", "cwd", "name"]);

export function isSafeRole(role: Role): boolean {
  return safeRoles.has(role);
}

const known: ReadonlyMap<string, Role> = new Map(roles.map((role) => [role, role]));

/** One entry of the notation. This runs some thousand times while the module loads, so it scans by hand. */
function compileOption(entry: string): {
  readonly names: readonly string[];
  readonly option: CompiledOption;
} {
  const marked = entry.endsWith("!");
  const end = marked ? entry.length - 1 : entry.length;
  let sign = entry.indexOf("=");
  if (sign === -1) sign = entry.indexOf("?");
  if (sign === -1) sign = end;
  const role = sign < end ? known.get(entry.slice(sign + 1, end)) : "text";
  const names = entry.slice(0, sign).split(",");
  if (role === undefined || names.some((name) => !name.startsWith("-") || name.length < 2)) {
    throw new TypeError(`Option notation not understood: ${entry}`);
  }
  const option: CompiledOption = {
    name: names.find((name) => name.startsWith("--")) ?? names[0] ?? "",
    takes: role === "rest" ? "rest" : sign === end ? "nothing" : entry[sign] === "=" ? "value" : "glued",
    role,
    unsafe: marked || !safeRoles.has(role),
  };
  return { names, option };
}

function compileOptions(
  notation: string,
  inherited: ReadonlyMap<string, CompiledOption>,
): Map<string, CompiledOption> {
  const options = new Map(inherited);
  for (const entry of notation.split(" ")) {
    if (entry === "") continue;
    const { names, option } = compileOption(entry);
    for (const name of names) options.set(name, option);
  }
  return options;
}

const none: ReadonlyMap<string, CompiledOption> = new Map();
const noAliases: ReadonlyMap<string, string> = new Map();

function compileAliases(notation: string): ReadonlyMap<string, string> {
  return new Map(
    notation.split(" ").flatMap((entry) => {
      const [name = "", others = ""] = entry.split("=");
      return others.split(",").map((other) => [other, name] as const);
    }),
  );
}

/** The name that a subcommand goes by in rules, whichever of its names is written. */
export function subcommandName(spec: CompiledSpec, written: string): string {
  const name = spec.aliases.get(written);
  if (name !== undefined || spec.abbreviates !== true || spec.subcommands?.has(written) === true)
    return name ?? written;
  const found = new Set<string>();
  for (const known of spec.subcommands?.keys() ?? [])
    if (known.startsWith(written)) found.add(spec.aliases.get(known) ?? known);
  for (const [other, known] of spec.aliases) if (other.startsWith(written)) found.add(known);
  const [only, ...others] = found;
  return only === undefined || others.length > 0 || written.length < 2 ? written : only;
}

/** Makes one entry ready for lookups; the notation is checked here, when the module loads. */
export function compileSpec(spec: SubcommandSpec, inherited?: CompiledSpec): CompiledSpec {
  const { options: notation, subcommands, aliases = "", ...rest } = spec;
  const from = inherited?.optionsAnywhere === true ? inherited.options : none;
  const options = notation === undefined ? from : compileOptions(notation, from);
  const longNames: string[] = [];
  let hasUnsafe = false;
  for (const [name, option] of options) {
    if (name.startsWith("--")) longNames.push(name);
    hasUnsafe ||= option.unsafe;
  }
  const base: CompiledSpec = {
    ...rest,
    options,
    longNames,
    subcommands: undefined,
    aliases: aliases === "" ? noAliases : compileAliases(aliases),
    hasUnsafe,
  };
  if (subcommands === undefined) return base;
  const compiled = new Map<string, CompiledSpec>();
  for (const [names, sub] of Object.entries(subcommands)) {
    const one = compileSpec(base.optionsAnywhere === true ? { optionsAnywhere: true, ...sub } : sub, base);
    for (const name of names.split(",")) compiled.set(name, one);
  }
  return { ...base, subcommands: compiled };
}
