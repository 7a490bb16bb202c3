import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: "test/real/setup.ts",
    // A CLI waits more than it works, so two at a time are no burden on two cores.
    maxWorkers: 2,
    // OpenCode alone takes ten seconds of a core to start, and a test starts it several times.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
