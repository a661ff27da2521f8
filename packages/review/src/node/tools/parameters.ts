import { int, opt, str } from "@earendil-works/pi-schema";

import { limits } from "../../limits.ts";

/** `timeoutSeconds` of a tool that runs the project's programs; `what` has the limit, for example "each step". */
export function timeoutParameter(what: string) {
  return opt(
    int({
      minimum: 1,
      maximum: limits.maxTimeoutSeconds,
      description: `Time limit of ${what}. Default: ${limits.timeoutSeconds}`,
    }),
  );
}

/** `limit` and `cursor` of a tool that answers in pages. `what` is on a page, for example "Files". */
export function pageParameters(what: string, size: { readonly default: number; readonly max: number }) {
  return {
    limit: opt(
      int({
        minimum: 1,
        maximum: size.max,
        description: `${what} of a page. Default: ${size.default}`,
      }),
    ),
    cursor: opt(str({ minLength: 1, maxLength: 256, description: "nextCursor of the page before" })),
  };
}
