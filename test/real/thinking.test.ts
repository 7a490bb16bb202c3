// Thinking that bears its vendor's signature goes along into another agent that stays with the model: its CLI sends it,
// and the vendor, who takes only what it signed for that model, takes it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/loopback/reply.ts";
import { facts } from "../../src/loopback/request.ts";
import type { Source, Stream } from "../../src/session/source.ts";
import { targetOf } from "../../src/switch/carry.ts";
import { perform } from "../../src/switch/perform.ts";
import { visible } from "../../src/transform/visible.ts";
import { openRig, type Rig, type Turn } from "./harness.ts";
import type { CliName } from "./install.ts";
import { adapterOf, homeAt, openFrom } from "./read.ts";
import { layUsedStore } from "./used-store.ts";

const SECRET = "one vendor";

/** What its user chose: the vendor's own provider, with that model. */
function withModel(provider: "anthropic" | "openai", model: string): (config: string) => string {
  return (config) => {
    const known = JSON.parse(config);
    const [{ options, models }] = Object.values(known.provider) as [{ options: object; models: object }];
    const [limits] = Object.values(models);
    const own = { npm: `@ai-sdk/${provider}`, options, models: { [model]: limits } };
    const name = `${provider}/${model}`;
    const provided = { provider: { [provider]: own }, enabled_providers: [provider] };
    return JSON.stringify({ ...known, ...provided, model: name, small_model: name });
  };
}

const CALLS: Readonly<Partial<Record<CliName, Call>>> = {
  claude: { name: "Bash", input: { command: "echo carried", description: "say so" } },
  codex: { name: "exec_command", input: { cmd: "echo carried" } },
};

/** With the thinking, as preparing it for the same model leaves it. */
function kept(source: Source): Stream {
  const stream = visible(source);
  return {
    ...stream,
    async *entries() {
      for await (const entry of stream.entries()) if (entry.type !== "system") yield entry;
    },
  };
}

async function carried(source: Source, rig: Rig): Promise<string> {
  if (rig.name === "opencode") await layUsedStore(rig.home);
  const to = adapterOf(rig.name);
  const home = homeAt(rig.home);
  const target = await targetOf({ source, to, home, cwd: rig.cwd, installed: rig.cli });
  const { originalId, losses } = await perform({
    stream: kept(source),
    to,
    target,
    batonHome: join(rig.home, ".baton"),
    facts: { kind: "resume", source: "elsewhere:1" },
  });
  expect(losses.filter(({ kind }) => kind === "thinking_dropped")).toEqual([]);
  return originalId;
}

/** Only its signature is known. */
const HIDDEN = "[hidden]";

/** The thinking that the model was told, with its signatures. */
function thoughts(turn: Turn): string[] {
  const request = turn.requests.at(-1)?.request;
  return facts(
    request ?? { api: "chat", model: "", stream: false, system: [], messages: [], tools: [] },
  ).flatMap(({ block }) =>
    block.type === "thinking" && block.signature ? [block.hidden ? HIDDEN : block.text] : [],
  );
}

function isTaken(turn: Turn, id: string): void {
  expect(turn).toMatchObject({ id, exitCode: 0 });
  expect(turn.requests.flatMap(({ violations }) => violations)).toEqual([]);
  const said = JSON.stringify(turn.requests.at(-1)?.request.messages);
  expect(said.match(/Pondering/g)).toHaveLength(thoughts(turn).filter((one) => one !== HIDDEN).length);
}

async function withRigs(names: readonly CliName[], use: (rigs: Rig[]) => Promise<void>): Promise<void> {
  const rigs: Rig[] = [];
  try {
    for (const name of names) rigs.push(await openRig(name, { secret: SECRET }));
    await use(rigs);
  } finally {
    for (const rig of rigs) await rig.close();
  }
}

describe.each([
  ["claude", "anthropic"],
  ["codex", "openai"],
] as const)("from %s, a model of %s", (name, provider) => {
  it("into another agent and back, on every resume", async () => {
    await withRigs([name, "opencode", name], async ([first, other, last]) => {
      if (!first || !other || !last) return;
      const call = CALLS[name];
      const { id } = await first.start("Ponder this", [
        { thinking: "Pondering one", calls: call ? [call] : [] },
        {
          blocks: [
            { type: "thinking", text: "Secretly", hidden: true },
            { type: "text", text: "Pondered" },
          ],
        },
      ]);
      const source = await openFrom(adapterOf(name), first.home, id);
      const { model } = source.header.model;
      await other.configure(withModel(provider, model));
      const there = await carried(source, other);
      const found = ["Pondering one", HIDDEN];
      const turn = await other.resume(there, "And then", [{ thinking: "Pondering three", text: "Then" }]);
      isTaken(turn, there);
      expect(turn.requests.at(-1)?.request.model).toBe(model);
      expect(thoughts(turn)).toEqual(found);
      const next = await other.resume(there, "And now", [{ text: "Now" }]);
      isTaken(next, there);
      expect(thoughts(next)).toEqual([...found, "Pondering three"]);
      const back = await carried(await openFrom(adapterOf("opencode"), other.home, there), last);
      for (const prompt of ["Home", "And again"]) {
        const again = await last.resume(back, prompt, [{ text: "Here" }]);
        isTaken(again, back);
        expect(again.requests.at(-1)?.request.model).toBe(model);
        expect(thoughts(again)).toEqual([...found, "Pondering three"]);
      }
    });
  });
});
