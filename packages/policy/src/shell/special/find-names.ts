/**
 * What the expression of a `find` lets through to what it does. `undefined`: any name. Else only files whose name
 * matches one of these; a pattern that stands behind an action narrows nothing that the action is about.
 */
export type FoundNames = readonly string[] | undefined;

/** Primaries that take the next word. */
const takesOne: ReadonlySet<string> = new Set(
  (
    "-amin -anewer -atime -cmin -cnewer -context -ctime -flags -fstype -gid -group -ilname -iname -inum -ipath -iregex " +
    "-iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile " +
    "-size -type -uid -used -user -wholename -xattr -xtype"
  ).split(" "),
);
const actions: ReadonlySet<string> = new Set(
  "-delete -print -print0 -printf -ls -fls -fprint -fprint0 -fprintf -exec -execdir -ok -okdir".split(" "),
);

/** Reads the words behind the starting points; what is not understood lets any name through. */
export function foundNames(words: readonly (string | undefined)[]): FoundNames {
  const reader = new ExpressionReader(words);
  const all = reader.read();
  if (!reader.understood) return undefined;
  return reader.acted.length > 0 ? union(reader.acted) : all;
}

/** Deepest parentheses that are followed. */
const maxDepth = 32;

class ExpressionReader {
  /** What reached each action. */
  readonly acted: FoundNames[] = [];
  readonly #words: readonly (string | undefined)[];
  #at = 0;
  #depth = 0;
  #lost = false;

  constructor(words: readonly (string | undefined)[]) {
    this.#words = words;
  }

  get done(): boolean {
    return this.#at >= this.#words.length;
  }

  get understood(): boolean {
    return this.done && !this.#lost;
  }

  read(from?: FoundNames): FoundNames {
    const branches = [this.#and(from)];
    while (/^(-o|-or|,)$/.test(this.#words[this.#at] ?? "")) {
      this.#at += 1;
      branches.push(this.#and(from));
    }
    return union(branches);
  }

  #and(from: FoundNames): FoundNames {
    let names = from;
    for (;;) {
      const word = this.#words[this.#at];
      if (this.done || /^(-o|-or|,|\))$/.test(word ?? "")) return names;
      this.#at += 1;
      if (word === "-a" || word === "-and") continue;
      names = this.#primary(word, names);
    }
  }

  #primary(word: string | undefined, from: FoundNames): FoundNames {
    // A word that nobody knows may be a branch.
    if (word === undefined) return this.#lose();
    if (word === "(") {
      this.#depth += 1;
      const names = this.#depth > maxDepth ? this.#lose() : this.read(from);
      this.#depth -= 1;
      if (this.#words[this.#at] !== ")") return this.#lose();
      this.#at += 1;
      return names;
    }
    if (word === "!" || word === "-not") {
      const next = this.#words[this.#at];
      this.#at += 1;
      this.#primary(next, from);
      return from;
    }
    if (word === "-name" && from === undefined) {
      const name = this.#words[this.#at];
      this.#at += 1;
      return name === undefined ? this.#lose() : [name];
    }
    if (takesOne.has(word) || /^-newer[aBcmt]{2}$/.test(word)) {
      if (this.#words[this.#at] === undefined) return this.#lose();
      this.#at += 1;
    } else if (actions.has(word)) this.#act(word, from);
    return from;
  }

  /** It is not understood. */
  #lose(): FoundNames {
    this.#lost = true;
    this.#at = this.#words.length;
    return undefined;
  }

  #act(word: string, from: FoundNames): void {
    this.acted.push(from);
    if (/^-(exec|ok)/.test(word)) {
      while (!this.done) {
        const part = this.#words[this.#at];
        this.#at += 1;
        if (part === ";" || (part === "+" && this.#words[this.#at - 2] === "{}")) return;
      }
    } else if (word === "-fprintf") this.#at += 2;
    else if (/^-(printf|fls|fprint|fprint0)$/.test(word)) this.#at += 1;
  }
}

function union(all: readonly FoundNames[]): FoundNames {
  const names = all.flatMap((one) => one ?? []);
  return all.some((one) => one === undefined) ? undefined : [...new Set(names)];
}
