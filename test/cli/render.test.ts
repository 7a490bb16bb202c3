// The session on a terminal: folded by default, everything with --verbose, never more than text.
import pc from "picocolors";
import { expect, it } from "vitest";
import { render } from "../../src/cli/render.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";

const at = (seconds: number) => ({ timestamp: `2026-01-02T03:04:${String(seconds).padStart(2, "0")}.000Z` });

const timeline: Entry[] = [
  { ...at(0), id: "i", type: "user", content: "<context>\nmuch", injected: true },
  {
    ...at(1),
    id: "u",
    type: "user",
    content: "Fix it\n\n\u001b[2Jnow",
    parts: [
      { type: "text", text: "Fix it\n\n\u001b[2Jnow" },
      { type: "image", mimeType: "image/png", data: "AAAA" },
    ],
  },
  { ...at(2), id: "a", type: "assistant", content: "I will.", thinking: "Hm.\nLet me see.", turn: "t" },
  {
    ...at(3),
    id: "c1",
    type: "tool_call",
    tool: "bash",
    originalTool: "Bash",
    input: { command: "npm test" },
    turn: "t",
  },
  {
    ...at(3),
    id: "c2",
    type: "tool_call",
    tool: "edit",
    originalTool: "Edit",
    input: { path: "src/a.ts", edits: [{ old: "one\ntwo", new: "1" }] },
    turn: "t",
  },
  {
    ...at(5),
    id: "r1",
    type: "tool_result",
    callId: "c1",
    success: false,
    output: "1 failed\nmore",
    details: { durationMs: 1500 },
  },
  { ...at(6), id: "r2", type: "tool_result", callId: "c2", success: true, output: "ok" },
  { ...at(7), id: "c3", type: "tool_call", tool: "unknown", originalTool: "mcp__x", input: { a: 1 } },
  { ...at(8), id: "s", type: "system", content: "API error", subtype: "error", note: true },
  { ...at(9), id: "k", type: "compaction", summary: "It was fixed." },
];

const session: Session = {
  id: "abcdefabcdef",
  version: "1.0",
  source: { cli: "tiny", originalId: "x", version: "1.0" },
  project: { path: "/home/me/app", git: { branch: "main" } },
  model: { provider: "p", model: "m-1" },
  metadata: { created: "", lastModified: "", messageCount: 2 },
  title: "Fix",
  links: [{ type: "subagent", session: "tiny:child", entry: "c3", label: "Look around" }],
  timeline,
};

async function text(unfold: boolean, colors = false): Promise<string> {
  const options = { colors: pc.createColors(colors), width: 80, unfold, badge: "tiny", home: "/home/me" };
  return (await Array.fromAsync(render(sourceOf(session), options))).join("");
}

it("is folded", async () => {
  expect(await text(false)).toBe(`tiny Fix
abcdefabcdef · tiny 1.0 · m-1 · ~/app (main) · 2 messages

  context, 2 lines

❯ Fix it

  now
  [image image/png]

  thinking, 2 lines
● I will.
  ✗ Bash npm test · 1.5 s
    1 failed …
  ✓ Edit src/a.ts · +1 −2 · 3.0 s
  … mcp__x {"a":1} · no result
  note, 1 line
─── the history above was compacted ───
  summary, 1 line
  subagent q3vn49nx9yy1: Look around
`);
});

it("is unfolded with --verbose", async () => {
  const unfolded = await text(true);
  for (const part of [
    "much",
    "Let me see.",
    "    -one\n    -two\n    +1",
    "    1 failed\n    more",
    '"a": 1',
    "It was fixed.",
  ])
    expect(unfolded).toContain(part);
});

it("has colours where they are wanted, and no other escape", async () => {
  const colored = await text(true, true);
  expect(colored).toContain("\u001b[32m+1");
  expect(colored).toContain("\u001b[31m-one");
  expect(colored).not.toContain("\u001b[2J");
  expect(await text(true)).not.toContain("\u001b");
});
