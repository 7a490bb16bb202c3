// What an agent says of itself while somebody works with it in a terminal is what `status` says.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { statusOf } from "../../src/catalog/status.ts";
import { startLoopback } from "../../src/loopback/server.ts";
import { layDown } from "../../src/verify/run.ts";
import { openTerminal } from "../terminal.ts";
import { DRIVERS } from "./drivers.ts";
import { installCli } from "./install.ts";

/** A port that nothing listens at stands for every proxy, so that nobody else is reached. */
const NOWHERE = "http://127.0.0.1:9";

it("a session of Claude Code that waits for an approval is known to, and when it has got it", async () => {
  const home = await realpath(await mkdtemp(join(tmpdir(), "baton-waiting-")));
  const command = { name: "Bash", input: { command: "curl http://127.0.0.1:9/ > made", description: "ask" } };
  let asked = 0;
  const loopback = await startLoopback({
    script: () => (asked++ === 0 ? { calls: [command] } : { text: "All of it is done." }),
    strict: false,
  });
  const driver = DRIVERS.claude;
  await layDown(home, driver.files(loopback.url));
  const env = driver.env(home, loopback.url);
  const approved = [(env.ANTHROPIC_API_KEY ?? "").slice(-20)];
  const introduced = {
    hasCompletedOnboarding: true,
    theme: "dark",
    projects: { [home]: { hasTrustDialogAccepted: true } },
    customApiKeyResponses: { approved, rejected: [] },
  };
  await writeFile(join(home, ".claude.json"), JSON.stringify(introduced));
  const { path } = await installCli("claude");
  const terminal = openTerminal(path, ["--permission-mode", "default"], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      ...env,
    },
    columns: 120,
    rows: 40,
  });
  const status = () => statusOf({ dir: home, env: {} }, adapters, { since: new Date(0), limit: 10 });
  try {
    await terminal.until("❯");
    terminal.send("Run it");
    await terminal.until(/❯\sRun it/);
    terminal.send("\r");
    await terminal.until("Do you want to proceed?");
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({
      running: [],
      waiting: [{ waitingFor: "permission prompt", live: true, unanswered: 1 }],
    });
    // The prompt takes no answer in its first moments, so that nobody approves by accident.
    const answered = () => {
      const screen = terminal.screen().join("\n");
      if (screen.includes("Do you want to proceed?")) terminal.send("\r");
      return screen;
    };
    await expect.poll(answered, { interval: 500, timeout: 40_000 }).toContain("All of it is done.");
    await expect.poll(status, { timeout: 20_000 }).toMatchObject({
      running: [],
      waiting: [],
      finished: [{ activity: "idle", live: true, unanswered: 0 }],
    });
  } finally {
    await terminal.close();
    await loopback.close();
  }
  expect(await status()).toMatchObject({ running: [], finished: [{ live: false, activity: "unknown" }] });
  await rm(home, { recursive: true });
});
