import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

// The driver of PostgreSQL is CommonJS, and what it requires is a module under the condition `import`: here that
// condition holds for what is imported, and not for the whole process.
const conditions = ["@nestbox/source", "node", "default"];

export default defineConfig({
  ...base,
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
});
