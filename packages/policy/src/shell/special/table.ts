import type { CommandCall } from "../effects.ts";
import { buildSpecials } from "./build.ts";
import { builtinSpecials } from "./builtins.ts";
import { codeSpecials } from "./code.ts";
import { fileSpecials } from "./files.ts";
import { findSpecials } from "./find.ts";
import { gitSpecials } from "./git.ts";
import { gitRefSpecials } from "./git-refs.ts";
import { hubSpecials } from "./hub.ts";
import { networkSpecials } from "./network.ts";
import { textSpecials } from "./text.ts";

/** Extra reading of a command's words, named by `special` in the program table. */
export const specials: ReadonlyMap<string, (call: CommandCall) => void> = new Map([
  ...buildSpecials,
  ...builtinSpecials,
  ...codeSpecials,
  ...fileSpecials,
  ...findSpecials,
  ...gitSpecials,
  ...gitRefSpecials,
  ...hubSpecials,
  ...networkSpecials,
  ...textSpecials,
]);
