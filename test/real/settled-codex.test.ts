// What was carried is at home in Codex's store: its list shows it, it stays, and it goes on with any model.
import { utimes } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import { compare } from "../../src/verify/compare.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { ask } from "./codex.ts";
import { DAY_MS, settled } from "./settled.ts";

describe("Codex CLI", () => {
  /** The rig's user has set a provider of their own; a thread of another one would not be offered. */
  it("lists it under the user's provider and shows its turns", () =>
    settled("claude", "codex", async (rig, { originalId }) => {
      const { stdout } = await ask(rig, [
        { method: "thread/list", params: {} },
        { method: "thread/resume", params: { threadId: originalId } },
      ]);
      const [list, { thread }] = JSON.parse(stdout);
      const listed = { id: originalId, preview: "Use your tools", source: "cli", modelProvider: "sim" };
      expect(list.data).toMatchObject([listed]);
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
