import type { GrantFacts } from "./grant.ts";

/**
 * Facts where no file system is at hand: names are taken as they are, nothing can be hashed, so a call that runs a
 * file is answered once and never remembered. `@nestbox/policy/node` has the real ones.
 */
export const factsWithoutFileSystem: GrantFacts = {
  realPath: (path) => path,
  repositoryOf: () => undefined,
  hashFile: () => undefined,
  resolve: (folder, path) => {
    const absolute = path.startsWith("/");
    const parts: string[] = [];
    for (const part of `${absolute ? "" : `${folder}/`}${path}`.split("/")) {
      if (part === "" || part === ".") continue;
      if (part === "..") parts.pop();
      else parts.push(part);
    }
    return `/${parts.join("/")}`;
  },
};
