/** What keeps a worker from being ready, each reason under a name of its own. */
export interface Readiness {
  /** `undefined`: it is well. Says whether that is news. */
  set(name: string, problem: string | undefined): boolean;
  problems(): readonly string[];
}

export function createReadiness(): Readiness {
  const problems = new Map<string, string>();
  return {
    set(name, problem) {
      if (problems.get(name) === problem) return false;
      if (problem === undefined) problems.delete(name);
      else problems.set(name, problem);
      return true;
    },
    problems: () => [...problems.values()],
  };
}
