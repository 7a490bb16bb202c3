import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: "test/real/setup.ts",
    // A CLI waits more than it works, so two at a time are no burden on two cores.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
