/** Makes classes look like those of the web: a tag of their own, members that `for … in` finds. */
export type AsInterface = (
  classes: Readonly<Record<string, abstract new (...args: never[]) => object>>,
) => void;
