/** The file system as the engine asks about it: synchronous, and every failure is an answer. Nothing is ever changed. */
export interface PolicyFs {
  /** The path with every link resolved; `undefined` when it does not exist or cannot be reached. */
  realpath(path: string): string | undefined;
  /** What a link points to, as written; `undefined` when the path is no link. */
  readlink(path: string): string | undefined;
  /** The entries of a folder; `undefined` when it is none or cannot be read. */
  list(path: string): readonly FolderEntry[] | undefined;
  /** Whether the volume of this path takes `.ENV` and `.env` for one file. */
  foldsCase(path: string): boolean;
  /**
   * What tells a file that has several names (hard links) from every other file; `undefined` for one with a single
   * name. Absent: hard links are not seen.
   */
  fileId?(path: string): string | undefined;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** A file system on which nothing exists, so no link is seen. */
export const noFiles: PolicyFs = {
  realpath: () => undefined,
  readlink: () => undefined,
  list: () => undefined,
  foldsCase: () => false,
};
