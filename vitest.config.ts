import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 30_000,
  },
});
