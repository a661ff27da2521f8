import { findProgram } from "./table.ts";

/**
 * The name that facts use for an option, for a rule that is written with another one: `-r` of `rm` is
 * `--recursive`. A name that the table does not know is given back as it is.
 */
export function canonicalFlag(program: string, subcommand: readonly string[], flag: string): string {
  let spec = findProgram(program);
  const levels = spec === undefined ? [] : [spec];
  for (const word of subcommand) {
    spec = spec?.subcommands?.get(word);
    if (spec !== undefined) levels.unshift(spec);
  }
  for (const level of levels) {
    const option = level.options.get(flag);
    if (option !== undefined) return option.name;
  }
  return flag;
}
