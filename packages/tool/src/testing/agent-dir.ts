/** The variable that names Pi's folder of the user: Pi, extensions and the programs they start look there. */
const VARIABLE = "PI_CODING_AGENT_DIR";
/** Longest wait for another session to start. One that never gets there must not hold the others up for ever. */
const MAX_START_MS = 10_000;

/** A folder of Pi's that stands in for the user's while a session lives. */
export interface AgentDirHold {
  /** Makes this folder the one that is found from now on, where several sessions live. */
  use(): void;
  /** The session has started: the next one may. */
  started(): void;
  /** Puts back what was there: the folder of a session that still lives, else what the environment said before. */
  release(): void;
}

interface Holds {
  readonly dirs: string[];
  /** What the environment said before the first session. */
  before: string | undefined;
  /** Settles when no session is starting. */
  starting: Promise<void>;
}

/**
 * Waits until no other session of this process is starting, then points the environment at `dir`. An environment
 * belongs to a process, so sessions that overlap share it: each start finds its own folder, and none ever the user's.
 */
export async function holdAgentDir(dir: string, env: NodeJS.ProcessEnv = process.env): Promise<AgentDirHold> {
  const holds = holdsOf(env);
  const before = holds.starting;
  const { promise, resolve } = Promise.withResolvers<void>();
  holds.starting = Promise.all([before, promise]).then(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([before, new Promise<void>((late) => (timer = setTimeout(late, MAX_START_MS)))]);
  clearTimeout(timer);

  if (holds.dirs.length === 0) holds.before = env[VARIABLE];
  let released = false;
  const leave = (): void => {
    const index = holds.dirs.indexOf(dir);
    if (index >= 0) holds.dirs.splice(index, 1);
  };
  const use = (): void => {
    if (released) return;
    leave();
    holds.dirs.push(dir);
    env[VARIABLE] = dir;
  };
  use();
  return {
    use,
    started: resolve,
    release() {
      released = true;
      resolve();
      leave();
      // Whoever set the variable to something else meanwhile means it.
      if (env[VARIABLE] !== dir) return;
      const next = holds.dirs.at(-1) ?? holds.before;
      if (next === undefined) delete env[VARIABLE];
      else env[VARIABLE] = next;
    },
  };
}

/** Kept beside the environment, not in this module: a second copy of this package changes the same variable. */
function holdsOf(env: NodeJS.ProcessEnv): Holds {
  const key = Symbol.for("nestbox.testing.agent-dirs");
  const registry = globalThis as { [key]?: WeakMap<object, Holds> };
  const all = (registry[key] ??= new WeakMap());
  let holds = all.get(env);
  if (holds === undefined) {
    holds = { dirs: [], before: undefined, starting: Promise.resolve() };
    all.set(env, holds);
  }
  return holds;
}
