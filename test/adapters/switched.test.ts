// The mark of a switch in each agent's own words: a record that its CLI knows, with a field of ours beside.
import { describe, expect, it } from "vitest";
import type { Target } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { switchIn, switchWords } from "../../src/adapters/switched.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { cases, laidOut } from "../conformance/fixtures.ts";
import { assistant, session, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";

const made = switched("s1", { reason: "the quota was used up" });
const WORDS = "Switched from claude Opus 4.5 to Gemini 2.5 Pro";
const baton = { switch: made.switch };

const target: Target = {
  home: { dir: "/nowhere", env: {} },
  originalId: "ses_0c0ffee0",
  cwd: "/project",
  version: "1.0.0",
  now: new Date("2026-11-15T12:00:00.000Z"),
  configuration: { model: "anthropic/claude-sonnet-4-5", mcpServers: [] },
};

/** The records that say a switch. */
async function records(agent: string, timeline: Entry[], more: Partial<Target> = {}): Promise<unknown[]> {
  const adapter = adapters.find(({ id }) => id === agent);
  const found: unknown[] = [];
  for await (const one of adapter?.write?.(sourceOf(session(timeline)), { ...target, ...more }) ?? [])
    if (one.type === "record" && one.says.some(([type]) => type === "switch"))
      found.push({ says: one.says, value: JSON.parse(String(one.bytes)) });
  return found;
}

const says = [["switch", ""]];

describe("is written", () => {
  it.each([
    ["claude", { type: "system", subtype: "informational", level: "notice", content: WORDS, baton }],
    ["codex", { type: "event_msg", payload: { type: "warning", message: WORDS, baton } }],
    ["gemini", { type: "info", content: WORDS, baton }],
    [
      "opencode",
      {
        table: "message",
        data: { role: "user", model: { providerID: "anthropic", modelID: "claude-sonnet-4-5" } },
        rows: [{ data: { type: "text", text: WORDS, ignored: true, metadata: { baton } } }],
      },
    ],
  ])("in %s", async (agent, value) => {
    const timeline = [user("u1"), assistant("a1"), made];
    expect(await records(agent, timeline)).toMatchObject([{ says, value }]);
  });
});

it("is written into a rollout of an older generation as well, without an ordinal", async () => {
  const one = cases.find(({ adapter, fixture }) => adapter.id === "codex" && fixture === "legacy");
  const [ref] = one ? await laidOut(one) : [];
  const onto = ref ? { onto: { ref } } : {};
  const found = await records("codex", [user("u1"), assistant("a1"), made], onto);
  expect(found).toMatchObject([{ says, value: { payload: { type: "warning", baton } } }]);
  expect(found).not.toMatchObject([{ value: { ordinal: expect.anything() } }]);
});

describe("the words", () => {
  it.each([
    [{}, WORDS],
    [{ fromProvider: "codex", fromModel: "gpt-5.5" }, "Switched from codex GPT-5.5 to Gemini 2.5 Pro"],
    [{ toProvider: "opencode", toModel: "" }, "Switched from claude Opus 4.5 to opencode"],
  ])("name both sides: %j", (fields, words) => {
    expect(switchWords(switched("s1", fields))).toBe(words);
  });
});

describe("a mark that is none", () => {
  const deep: unknown[] = [];
  let inner = deep;
  for (let depth = 0; depth < 5000; depth++) {
    const next: unknown[] = [];
    inner.push(next);
    inner = next;
  }
  it.each([
    ["nothing", undefined],
    ["a text", "switch"],
    ["no model", { ...made.switch, toModel: undefined }],
    ["a place that is no number", { ...made.switch, messageIndex: "2" }],
    ["a reason that is no text", { ...made.switch, reason: 3 }],
    ["warnings that are no list", { ...made.switch, warnings: "one" }],
    ["warnings that are no texts", { ...made.switch, warnings: [1] }],
    ["what nobody could write again", { ...made.switch, deep }],
  ])("%s", (_, value) => {
    expect(switchIn({ baton: { switch: value } })).toBeUndefined();
  });

  it("keeps what is not known", () => {
    const known = { ...made.switch, addedLater: [{ by: "others" }] };
    expect(switchIn({ baton: { switch: known } })).toEqual(known);
  });
});
