import { createCodemodeExtension as createBuiltin } from "@earendil-works/pi-coding-agent";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { createRunner } from "../../../src/node/index.ts";
import { createCodemodeExtension } from "../../../src/pi/index.ts";
import type { ScriptRunner } from "../../../src/types.ts";
import { activateCodemode, parityTools } from "./tools.ts";

export interface SideResult {
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly string[];
  readonly calls: readonly { readonly name: string; readonly status: string }[];
}

/** A real session with one of the two codemode tools in it. */
export interface Side extends AsyncDisposable {
  readonly session: ScriptedPiSession;
  run(code: string): Promise<SideResult>;
}

export async function builtinSide(): Promise<Side> {
  const session = await scriptedPiSession({
    extensions: [createBuiltin(), parityTools, activateCodemode],
    noTools: "builtin",
  });
  return side(session, undefined);
}

export async function ourSide(): Promise<Side> {
  const runner = createRunner();
  const session = await scriptedPiSession({
    extensions: [createCodemodeExtension({ runner }), parityTools, activateCodemode],
    noTools: "builtin",
  });
  return side(session, runner);
}

function side(session: ScriptedPiSession, runner: ScriptRunner | undefined): Side {
  return {
    session,
    async run(code) {
      await session.prompt("go", [call("codemode", { code }), "done"]);
      const result = session.toolResults().at(-1);
      if (result === undefined) throw new Error("no result");
      const details: unknown = result.details;
      return {
        text: result.content
          .map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`))
          .join("|"),
        isError: result.isError,
        images: result.content.flatMap((part) => (part.type === "image" ? [part.data] : [])),
        calls: rowsOf(details),
      };
    },
    async [Symbol.asyncDispose]() {
      await session.dispose();
      await runner?.close();
    },
  };
}

function rowsOf(details: unknown): { name: string; status: string }[] {
  const rows: unknown =
    typeof details === "object" && details !== null ? Reflect.get(details, "calls") : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.map((row: { name: unknown; status: unknown }) => ({
    name: String(row.name),
    status: String(row.status),
  }));
}

/** D1. Takes out what may differ: the wall time, names of files, and how the engine words a stack frame. */
export function normalize(text: string): string {
  return text
    .replace(/Wall time [\d.]+ seconds/g, "Wall time N seconds")
    .replace(/timed out after \d+ ms/g, "timed out after N ms")
    .replace(/\/\S+\/(?:pi|nestbox)-codemode-[0-9a-f]{16}(\.\w+)/g, "<file$1>")
    .replace(/^ {4}at .*?codemode\.js:(\d+)(?::\d+)?\)?$/gm, "    at line $1");
}
