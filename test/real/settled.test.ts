// A carried session is at home in its new store: the CLI's own list shows it, its clean-up leaves it alone, and
// it goes on with whatever model the user has set.
import { existsSync } from "node:fs";
import { utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Source } from "../../src/session/source.ts";
import type { Carried } from "../../src/switch/carry.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import { compare } from "../../src/verify/compare.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { layDown } from "../../src/verify/run.ts";
import { carryInto, withSession } from "./carry.ts";
import { ask } from "./codex.ts";
import { openRig, type Rig } from "./harness.ts";
import type { CliName } from "./install.ts";
import { adapterOf } from "./read.ts";

/** Carries a session into a rig of the other agent. */
async function settled(
  from: CliName,
  to: CliName,
  use: (rig: Rig, carried: Carried, source: Source) => Promise<void>,
): Promise<void> {
  await withSession(from, "tools", async (source) => {
    const rig = await openRig(to);
    try {
      await use(rig, await carryInto(source, adapterOf(to), rig.home, rig.cwd, rig.cli), source);
    } finally {
      await rig.close();
    }
  });
}

const DAY_MS = 86_400_000;

describe("Claude Code", () => {
  it("offers it in its picker", async ({ skip }) => {
    skip(process.platform !== "linux", "the picker needs a terminal, made here by util-linux's script");
    await settled("codex", "claude", async (rig) => {
      await layDown(rig.home, { ".claude.json": JSON.stringify(introduced(rig)) });
      const picker = `stty rows 40 cols 120; TERM=xterm-256color exec ${rig.cli.path} --resume`;
      const { stdout } = await rig.exec(["script", "-qfec", picker, "/dev/null"], [], {
        isComplete: () => false,
        signal: { name: "SIGKILL", output: "Use your tools" },
      });
      expect(stdout).toContain("Use your tools");
    });
  });

  it("does not clean it away with what is old", () =>
    settled("codex", "claude", async (rig, { path, originalId }) => {
      const old = join(dirname(path), "0c0ffee0-0000-4000-8000-000000000001.jsonl");
      await writeFile(old, "{}\n");
      const longAgo = new Date(Date.now() - 60 * DAY_MS);
      await utimes(old, longAgo, longAgo);
      // The clean-up starts a while after the CLI does, so the reply takes its time.
      await rig.resume(originalId, "Take your time", [
        { text: "Slowly but surely I come to an end.", pace: 700 },
      ]);
      expect(existsSync(old)).toBe(false);
      expect(existsSync(path)).toBe(true);
    }));
});

/** As a user who has been through the first start and trusts the project. */
function introduced(rig: Rig): unknown {
  const key = rig.driver.env(rig.home, "").ANTHROPIC_API_KEY ?? "";
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    projects: { [rig.cwd]: { hasTrustDialogAccepted: true } },
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
  };
}

describe("Codex CLI", () => {
  it("lists it and shows its turns", () =>
    settled("claude", "codex", async (rig, { originalId }) => {
      const { stdout } = await ask(rig, [
        { method: "thread/list", params: {} },
        { method: "thread/resume", params: { threadId: originalId } },
      ]);
      const [list, { thread }] = JSON.parse(stdout);
      expect(list.data).toMatchObject([{ id: originalId, preview: "Use your tools", source: "cli" }]);
      const items = thread.turns.flatMap((turn: { items: { type: string }[] }) => turn.items);
      const types = new Set(items.map(({ type }: { type: string }) => type));
      expect(types).toEqual(
        new Set([
          "userMessage",
          "agentMessage",
          "commandExecution",
          "fileChange",
          "dynamicToolCall",
          "mcpToolCall",
        ]),
      );
    }));

  it("does not compact it, whichever model comes by default", () =>
    settled("claude", "codex", async (rig, { originalId, losses }, source) => {
      await rig.configure((config) => config.replace(/^model = .*\n/m, ""));
      const { requests } = await rig.resume(originalId, "Go on", [{ text: "Going on" }]);
      expect(requests).toHaveLength(1);
      expect(requests[0]?.request.model).not.toBe("gpt-5.5");
      const facts = await Array.fromAsync(factsOf(prepare(visible(source), { thinking: "drop" })));
      const [control] = (await rig.start("Only this", [{ text: "Only that" }])).requests;
      const after = [{ entry: "prompt", type: "text" as const, role: "user" as const, text: "Go on" }];
      const options = { after, cwd: rig.cwd, control: control!.request, losses };
      expect(compare(facts, requests[0]!.request, options)).toMatchObject({ missing: [], unexpected: [] });
    }));

  it("keeps it however old it looks", () =>
    settled("claude", "codex", async (rig, { path, originalId }) => {
      const longAgo = new Date(Date.now() - 60 * DAY_MS);
      await utimes(path, longAgo, longAgo);
      await rig.start("Take your time", [{ text: "Slowly but surely.", pace: 400 }]);
      expect((await rig.resume(originalId, "Still there?", [{ text: "Yes" }])).id).toBe(originalId);
    }));
});
