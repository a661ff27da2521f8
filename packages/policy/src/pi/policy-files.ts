import type { PolicyFile } from "../node/policy-file.ts";

/** Which files a host wants to count. */
export interface PolicyFilesOptions<TContext> {
  /**
   * Policy files in place of the usual ones, see `defaultPolicyPaths`. Those of a list must be there (say
   * `required: false` for one that need not): a mistyped path is a broken layer, not an empty one. A function says
   * itself which are required; it gets the usual ones to start from.
   */
  readonly files?:
    | readonly PolicyFile[]
    | ((context: TContext, usual: readonly PolicyFile[]) => readonly PolicyFile[]);
  /** Policy files beside the others, for an extension that brings a policy; required like those of a list. */
  readonly moreFiles?: readonly PolicyFile[];
}

export function policyFilesOf<TContext>(
  { files, moreFiles = [] }: PolicyFilesOptions<TContext>,
  context: TContext,
  usual: readonly PolicyFile[],
): readonly PolicyFile[] {
  const chosen = typeof files === "function" ? files(context, usual) : (files?.map(named) ?? usual);
  return [...chosen, ...moreFiles.map(named)];
}

function named(file: PolicyFile): PolicyFile {
  return { ...file, required: file.required ?? true };
}
