import { defineConfig, type ViteUserConfig } from "vitest/config";

// What every package has, and one thing else: the driver of PostgreSQL is CommonJS, and what it requires is a module
// under the condition `import`. Here that condition holds for what is imported, and not for the whole process.
const shared = new URL("../../vitest.config.ts", import.meta.url).href;
const { default: base } = (await import(shared)) as { readonly default: ViteUserConfig };
const conditions = ["@nestbox/source", "node", "default"];

export default defineConfig({
  ...base,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
});
