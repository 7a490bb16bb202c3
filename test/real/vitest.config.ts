import { defineConfig } from "vitest/config";
import { LongestFirst } from "./longest-first.ts";

export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    globalSetup: "test/real/setup.ts",
    // A CLI waits more than it works, so two at a time are no burden on two cores.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // A snapshot that is missing is a failure too; `-u` writes it.
    update: "none",
    // OpenCode alone takes four seconds of a core to start, and a test starts it several times.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
