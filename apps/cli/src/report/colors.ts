import pc from "picocolors";

import type { TextOutput } from "../output.ts";

export type Colors = ReturnType<typeof pc.createColors>;

/** Colours for one stream: in a terminal, unless `NO_COLOR` is set; `FORCE_COLOR` asks for them anywhere. */
export function colorsFor(
  stream: Pick<TextOutput, "isTTY">,
  env: Readonly<Record<string, string | undefined>>,
): Colors {
  return pc.createColors(wanted(stream, env));
}

function wanted(
  stream: Pick<TextOutput, "isTTY">,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env["NO_COLOR"]) return false;
  const force = env["FORCE_COLOR"];
  if (force !== undefined && force !== "") return force !== "0" && force !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}
