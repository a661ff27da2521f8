/** Where each page of the site comes from, and the order in which they are offered. */
import { globSync } from "node:fs";

import { root } from "../root.ts";

export interface Group {
  readonly label: string;
  /** Files of the repository, in their order. */
  readonly files: readonly string[];
  readonly collapsed?: boolean;
}

/** The pages that people wrote; the sections of the reference that are generated come after them. */
export const groups: readonly Group[] = [
  { label: "Start", files: ["docs/index.md", "docs/install.md", "docs/tutorial.md"] },
  {
    label: "How to",
    files: [
      "docs/how-to/write-a-tool.md",
      "docs/how-to/write-a-policy.md",
      "docs/how-to/run-scripts.md",
      "docs/pi.md",
      "docs/how-to/review-guard.md",
      "docs/how-to/serve-over-mcp.md",
      "docs/how-to/import-mcp-servers.md",
      "docs/how-to/remote-approver.md",
      "docs/how-to/traces.md",
      "docs/how-to/embed-codemode.md",
      "docs/how-to/durable-runs.md",
      "docs/how-to/fleet.md",
      "docs/how-to/low-level-agent.md",
      "docs/how-to/import-rules.md",
    ],
  },
  { label: "Migrate", files: ["docs/migrate/built-in-codemode.md", "docs/migrate/permission-settings.md"] },
  {
    label: "Explanation",
    files: [
      "docs/architecture.md",
      "docs/threat-model.md",
      "docs/annotations.md",
      "docs/differences.md",
      "docs/scale.md",
      "docs/decisions/a-process-of-its-own.md",
      "docs/decisions/no-server-of-our-own.md",
    ],
  },
  {
    label: "Packages",
    files: [
      "apps/cli/README.md",
      "apps/pi/README.md",
      ...globSync("packages/*/*.md", { cwd: root })
        .map((file) => file.replaceAll("\\", "/"))
        .filter((file) => !/CHANGELOG|policy-file/.test(file))
        .sort(),
    ],
  },
  {
    label: "Examples",
    files: [
      "examples/README.md",
      ...globSync("examples/*/README.md", { cwd: root })
        .map((file) => file.replaceAll("\\", "/"))
        .sort(),
    ],
    collapsed: true,
  },
  { label: "Reference", files: ["packages/policy/policy-file.md", "docs/json-output.md"] },
];

/** Path of a page within the site, with slashes around it; `undefined` for a file that is no page of it. */
export function routeOf(file: string): string | undefined {
  if (!groups.some(({ files }) => files.includes(file))) return undefined;
  if (file === "docs/index.md") return "/";
  const name = file
    .replace(/^docs\//, "")
    .replace(/^apps\//, "packages/")
    .replace(/^packages\/policy\/policy-file/, "reference/policy-file")
    .replace(/^json-output/, "reference/json-output")
    .replace(/\/README\.md$/, "")
    .replace(/\.md$/, "");
  return `/${name}/`;
}
