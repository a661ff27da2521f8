/**
 * Runs changes of one file one after the other. Wrap the whole read-modify-write in it (contract A14): two that
 * overlap lose one of the changes. In a Pi session it is Pi's own queue, `piMutationQueue` of `@nestbox/tool/pi`;
 * outside, {@link createMutationQueue} makes one. `path` is absolute; a host may resolve its links.
 */
export type FileMutationQueue = <T>(path: string, change: () => Promise<T>) => Promise<T>;

/** A queue by path, for hosts without one of their own. A change that fails does not stop the next. */
export function createMutationQueue(): FileMutationQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (path, change) => {
    const before = last.get(path) ?? Promise.resolve();
    const run = before.then(change, change);
    const done = run.catch(() => undefined);
    last.set(path, done);
    try {
      return await run;
    } finally {
      if (last.get(path) === done) last.delete(path);
    }
  };
}
