// What a session of another agent loses in OpenCode is said, and nothing else is.
import { describe, expect, it } from "vitest";
import type { Target } from "../../../src/adapters/adapter.ts";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Entry, Session } from "../../../src/session/session.ts";
import { sourceOf } from "../../../src/session/source.ts";

const timestamp = "2026-01-01T00:00:00.000Z";

function target(more: Partial<Target> = {}): Target {
  const configuration = { model: "anthropic/claude-sonnet-4-5", mcpServers: [] };
  const now = new Date("2026-11-16T04:00:00.000Z");
  const home = { dir: "/nowhere", env: {} };
  return { home, originalId: "ses_new", cwd: "/p", version: "1.18.33", now, configuration, ...more };
}

function session(timeline: Entry[]): Session {
  return {
    id: "s",
    version: "1.0",
    source: { cli: "claude", originalId: "s" },
    project: { path: "/p" },
    model: { provider: "anthropic", model: "claude-opus-4-6" },
    metadata: { created: timestamp, lastModified: timestamp },
    timeline,
  };
}

async function written(timeline: Entry[], more: Partial<Target> = {}) {
  const all = await Array.fromAsync(opencode.write!(sourceOf(session(timeline)), target(more)));
  return { losses: all.flatMap((one) => (one.type === "loss" ? [one.loss] : [])) };
}

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list;
}

const user = (id: string, content: string): Entry => ({ id, type: "user", content, timestamp });
const reply = (id: string, content: string): Entry => ({
  id,
  type: "assistant",
  content,
  timestamp,
  turn: id,
});

describe("what is reported", () => {
  const kinds = async (timeline: Entry[], more: Partial<Target> = {}) =>
    (await written(timeline, more)).losses.map(({ kind }) => kind);

  it("is another model, and usage only where there was some", async () => {
    const asked = user("u", "go");
    expect(await kinds([asked, reply("a", "yes")])).toEqual(["model_changed"]);
    const counted = { ...reply("a", "yes"), usage: { input: 1, output: 2 } } as Entry;
    expect(await kinds([asked, counted])).toEqual(["model_changed", "usage_dropped"]);
    expect(await kinds([asked, reply("a", "yes")], { model: "anthropic/claude-opus-4-6" })).toEqual([]);
  });

  it("is a message without words", async () => {
    const { losses } = await written([user("u", " \n"), reply("a", "")]);
    expect(losses).toContainEqual(
      expect.objectContaining({
        kind: "text_dropped",
        severity: "info",
        detail: expect.stringContaining("(2 times)"),
      }),
    );
  });

  it("are records and links of another agent", async () => {
    const source = sourceOf(session([user("u", "go")]));
    const header = {
      ...source.header,
      links: [{ type: "fork_of", session: "claude:x" }],
    } as typeof source.header;
    const stream = { ...source, header, records: () => each([]) };
    const all = await Array.fromAsync(opencode.write!(stream, target()));
    const found = all.flatMap((one) => (one.type === "loss" ? [`${one.loss.kind} ${one.loss.detail}`] : []));
    expect(found).toContain("links_dropped fork_of claude:x");
    expect(found).toContain("records_dropped native records of claude");
  });
});
