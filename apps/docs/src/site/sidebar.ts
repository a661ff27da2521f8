import { existsSync, readFileSync } from "node:fs";

import type { StarlightUserConfig } from "@astrojs/starlight/types";

import { readPage } from "../markdown.ts";
import { apiEntries } from "../reference/api.ts";
import { root } from "../root.ts";
import { groups, routeOf } from "./map.ts";

type Sidebar = NonNullable<StarlightUserConfig["sidebar"]>;

/** What the site offers, in the order of the map. */
export function sidebar(): Sidebar {
  const written = groups.map(({ label, files, collapsed = false }) => ({
    label,
    collapsed,
    items: files.map((file) => ({ label: labelOf(file), link: routeOf(file) ?? "/" })),
  }));
  const reference = written.pop();
  return [
    ...written,
    {
      label: "Reference",
      items: [
        { label: "Command line", link: "/reference/cli/" },
        ...(reference?.items ?? []),
        { label: "Policy file: every key", link: "/reference/policy-schema/" },
        { label: "Config file", link: "/reference/config-file/" },
        {
          label: "Packages",
          collapsed: true,
          items: apiEntries().map(({ name, page }) => ({ label: name, link: `/reference/api/${page}/` })),
        },
      ],
    },
  ];
}

function labelOf(file: string): string {
  if (!existsSync(root + file)) throw new Error(`The site needs ${file}`);
  const title = readPage(file, readFileSync(root + file, "utf8")).headings[0]?.text ?? file;
  // A page's title may explain itself after a colon; the list is short.
  return file === "docs/index.md" ? "What it is" : (title.split(":")[0] ?? title);
}
