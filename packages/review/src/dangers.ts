import { arr, int, obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";

/** Structured content of `dangerous_commands`: entries of the policy's own tables. */
export const dangersSchema = obj({
  entries: arr(
    obj({
      id: str({ description: "Id of the policy rule" }),
      effect: oneOf(["ask", "deny"]),
      title: str(),
      reason: str({ description: "Why, and what to do instead" }),
      examples: arr(str()),
      layer: str(),
    }),
  ),
  total: int({ minimum: 0, description: "Entries that match, in all pages" }),
  nextCursor: opt(str({ description: "Give it to the next call; absent on the last page" })),
});

export type DangersReport = Static<typeof dangersSchema>;
