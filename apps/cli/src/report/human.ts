import type { OutputItem, ScriptOutcome } from "@nestbox/codemode";
import pc from "picocolors";

import type { CallNode } from "./tree.ts";

type Colors = ReturnType<typeof pc.createColors>;

/** `1.24 s`, `87 ms`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return "";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** What a script printed: text, then the console, as Pi orders them. */
export function outputText(items: readonly OutputItem[]): string {
  const text = items.flatMap((item) =>
    item.type === "text" ? [item.text] : item.type === "image" ? [`[image ${item.mimeType}]`] : [],
  );
  const lines = items.flatMap((item) => (item.type === "console" ? [item.text] : []));
  return [...text, ...lines].join("\n");
}

/** Decisions, one line a call that was decided. */
export function decisionLines(nodes: readonly CallNode[], colors: Colors): string[] {
  return nodes.flatMap((node) => {
    const { decision } = node;
    const paint = decision?.effect === "allow" ? colors.green : colors.red;
    const own =
      decision === undefined
        ? []
        : [
            `${paint(decision.effect.padEnd(5))} ${node.name}  ${colors.dim(`${decision.rule} (${decision.layer})`)}`,
          ];
    return [...own, ...decisionLines(node.children, colors)];
  });
}

/** The call tree, drawn. */
export function treeLines(nodes: readonly CallNode[], colors: Colors, indent = ""): string[] {
  const width = Math.max(0, ...nodes.map((node) => node.name.length));
  return nodes.flatMap((node, index) => {
    const last = index === nodes.length - 1;
    const paint = node.status === "ok" ? colors.green : node.status === "running" ? colors.dim : colors.red;
    const line = `${indent}${last ? "└─" : "├─"} ${node.name.padEnd(width)}  ${paint(node.status.padEnd(9))} ${colors.dim(duration(node.durationMs))}`;
    return [line.trimEnd(), ...treeLines(node.children, colors, `${indent}${last ? "   " : "│  "}`)];
  });
}

/** An error as a person reads it: kind, name, message, place, the line itself. */
export function errorLines(outcome: ScriptOutcome, file: string, colors: Colors): string[] {
  if (outcome.ok) return [];
  const { error } = outcome;
  const place =
    error.line === undefined
      ? ""
      : ` at ${file}:${error.line}${error.column === undefined ? "" : `:${error.column}`}`;
  const lines = [colors.red(`${error.name}: ${error.message}`), colors.dim(`${error.kind} error${place}`)];
  if (error.lineText !== undefined) {
    lines.push(`  ${error.lineText}`);
    if (error.column !== undefined) lines.push(`  ${" ".repeat(Math.max(0, error.column - 1))}^`);
  }
  return lines;
}
