import { PassThrough } from "node:stream";

import type { Command } from "commander";
import { describe, expect, it } from "vitest";

import { createProgram } from "../src/program.ts";
import { nestbox } from "./support/nestbox.ts";

/** The help of every command, as a terminal of so many columns shows it. */
function helps(columns: number): readonly (readonly [name: string, text: string])[] {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const program = createProgram({
    streams,
    signal: new AbortController().signal,
    done: () => undefined,
  });
  const found: (readonly [string, string])[] = [];
  const walk = (command: Command, name: string): void => {
    let text = "";
    command.configureHelp({ helpWidth: columns }).configureOutput({ writeOut: (part) => (text += part) });
    command.outputHelp();
    found.push([name, text]);
    for (const one of command.commands) walk(one, `${name} ${one.name()}`);
  };
  walk(program, "nestbox");
  return found;
}

describe("help", () => {
  it("fits a terminal of 80 columns, what stands below the options too", () => {
    const all = helps(80);
    expect(all.length).toBeGreaterThan(25);
    const wide = all.flatMap(([name, text]) =>
      text.split("\n").flatMap((line) => (line.length > 80 ? [`${name}: ${line}`] : [])),
    );
    expect(wide).toEqual([]);
  });

  it("is not given for a command that is not there", async () => {
    for (const words of [["call", "--help"], ["call", "-h"], ["call"]]) {
      const { exitCode, stdout, stderr } = await nestbox(words);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("unknown command 'call'");
    }
    for (const words of [["--help"], ["help"], ["help", "submit"], ["submit", "--help"]])
      expect((await nestbox(words)).exitCode).toBe(0);
  });

  it("is all that is said where a command is missing", async () => {
    for (const words of [[], ["policy"], ["trace"]]) {
      const { exitCode, stdout, stderr } = await nestbox(words);
      expect([exitCode, stdout]).toEqual([2, ""]);
      expect(stderr).toContain("Usage: nestbox");
      expect(stderr).not.toMatch(/outputHelp|Try:/);
    }
    expect((await nestbox(["policy", "--json"])).exitCode).toBe(2);
    const { exitCode, stderr } = await nestbox(["help", "nope"]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe("nestbox: unknown command 'nope'\nTry: nestbox --help\n");
  });

  it("is named of the command whose words were wrong", async () => {
    expect((await nestbox(["submit", "--nope"])).stderr).toContain("Try: nestbox submit --help\n");
    expect((await nestbox(["policy", "check", "--nope"])).stderr).toContain(
      "Try: nestbox policy check --help\n",
    );
    expect((await nestbox(["--nope"])).stderr).toContain("Try: nestbox --help\n");
  });

  it("says of a worker that its config names the fleet, and of a tool's name which command reads it", async () => {
    expect((await nestbox(["worker", "--help"])).stdout).toMatch(/--config <file>\s+where the fleet is/);
    expect((await nestbox(["policy", "explain", "send_mail"])).stderr).toContain(
      "send_mail was read as a command line; of a call of a tool: nestbox policy check --call FILE",
    );
  });
});
