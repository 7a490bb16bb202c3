// The truth on record: sessions that the real CLIs wrote, and what they told the model when they resumed them.
// Our reader must see just that. `node test/real/renew.ts --write` records them anew.
import { readdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { visible } from "../../src/transform/visible.ts";
import { compare } from "../../src/verify/compare.ts";
import { hiddenTexts } from "../../src/verify/copy.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { once, request } from "./request.ts";

const RECORDED = join(import.meta.dirname, "fixtures");
const names = readdirSync(RECORDED).flatMap((agent) =>
  readdirSync(join(RECORDED, agent)).map((kind): [string, string] => [agent, kind]),
);
/** What the CLIs themselves add in the user's role. */
const CONTEXT = /^<(system-reminder|environment_context|session_context)>/;

describe.each(names)("%s, %s", (agent, kind) => {
  const folder = join(RECORDED, agent, kind);

  it("is seen as the CLI resumed it", async () => {
    const { id, messages } = JSON.parse(await readFile(join(folder, "resumed.json"), "utf8"));
    const adapter = adapters.find((one) => one.id === agent)!;
    const refs = await Array.fromAsync(adapter.discover({ dir: join(folder, "native"), env: {} }));
    const source = await adapter.open(refs.find(({ originalId }) => originalId === id)!);
    const said = await Array.fromAsync(factsOf(visible(source)));
    const isSent = adapter.holds.thinking === "signed";
    const facts = said.filter(({ type }) => isSent || type !== "thinking");
    const prompt = "The question that comes after everything else";
    const fillers = adapter.sandbox?.("/home/dev", 1).fillers ?? [];
    const found = compare(facts, once(request(messages, adapter.api)), {
      after: [{ entry: "prompt", type: "text", role: "user", text: prompt }],
      hidden: await hiddenTexts(source),
      fillers,
      isContext: (text) => CONTEXT.test(text),
    });
    expect(found).toMatchObject({ missing: [], unexpected: [] });
    expect(found.facts.kept).toBeGreaterThan(1);
  });

  it("holds nothing of the machine or of the vendor's prompts", async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const text = await readFile(join(entry.parentPath, entry.name), "utf8");
      const traces = [process.cwd(), homedir(), hostname(), "baton-verify-", '"base_instructions":'];
      expect(traces.filter((trace) => text.includes(trace))).toEqual([]);
      // A prompt is long; what was said in the session is not.
      const strings = text.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
      expect(strings.filter((string) => string.length > 1500)).toEqual([]);
    }
  });
});
