import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

import { REPOSITORY } from "./src/site/links.ts";
import { sidebar } from "./src/site/sidebar.ts";

// The site is plain files: no request leaves the reader's machine, the search included. `DOCS_BASE` is the path that
// it is served under.
export default defineConfig({
  base: process.env["DOCS_BASE"] ?? "/",
  trailingSlash: "always",
  integrations: [
    starlight({
      title: "Nestbox",
      description: "Governed tools and a V8 codemode for Pi",
      customCss: ["./src/site/style.css"],
      social: [{ icon: "github", label: "Source", href: REPOSITORY }],
      sidebar: sidebar(),
      credits: false,
      // Code that would scroll becomes a landmark without a name; wrapped, it needs no scrolling. Diagrams keep their
      // columns.
      expressiveCode: { defaultProps: { wrap: true, overridesByLang: { text: { wrap: false } } } },
      pagination: true,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
    }),
  ],
});
