import { defineConfig } from "vitest/config";

// One configuration for every package. Workspace packages are read from source, so tests need no build.
const conditions = ["@nestbox/source", "module", "node", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["@nestbox/source", "node", "import", "default"] } },
  test: {
    include: ["test/**/*.test.ts", "src/**/*.test.ts"],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", ["json", { outputFile: ".reports/vitest.json" }]],
  },
});
