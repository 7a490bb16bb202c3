import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: "test/real/setup.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
