import { defineConfig } from "vitest/config";

// One configuration for every package. Workspace packages are read from source, so tests need no build.
const conditions = ["@nestbox/source", "module", "node", "import", "default"];

// `pnpm run test` reads *.test.ts, `pnpm run test:live` reads *.live.ts, and so on.
const task = process.env["npm_lifecycle_event"] ?? "test";
const suffix = task.startsWith("test:") ? task.slice("test:".length) : "test";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["@nestbox/source", "node", "import", "default"] } },
  test: {
    include: [`test/**/*.${suffix}.ts`],
    environment: "node",
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ["default", ["json", { outputFile: `.reports/${suffix}.json` }]],
  },
});
