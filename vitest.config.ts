import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**"],
    setupFiles: ["test/setup.ts"],
    // Vitest would leave one processor idle, which is half of a small machine.
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A second is too short for what starts processes or waits for a disk on a machine with more to do.
    expect: { poll: { timeout: 20_000 } },
  },
});
