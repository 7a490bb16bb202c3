// Where secrets are to be hidden, texts come by lines, so that none hides between two pieces.
import { describe, expect, it } from "vitest";
import { byLine, type Hide } from "../../../src/cli/live/by-line.ts";
import type { AgentEvent } from "../../../src/session/events.ts";
import { loadRedactor } from "../../../src/transform/redact.ts";

async function* stream(events: readonly object[]): AsyncGenerator<AgentEvent> {
  for (const [at, event] of events.entries()) yield { seq: at + 1, timestamp: "", ...event } as AgentEvent;
}

const text = (words: string, more: object = {}) => ({ type: "text", text: words, ...more });

const hideSecret: Hide = (words, from = 0) => words.slice(from).replaceAll("SECRET", "***");

async function told(events: readonly object[]): Promise<string[]> {
  const list: string[] = [];
  let seq = 0;
  for await (const event of byLine(stream(events), hideSecret)) {
    expect(event.seq).toBe(++seq);
    list.push("text" in event ? `${event.type} ${event.text}` : event.type);
  }
  return list;
}

const output = (content: string, part: number, last: boolean) => ({
  type: "tool_result",
  tool_use_id: "1",
  is_error: false,
  content,
  part,
  last,
});

it("keeps the order: what was said before an output is told before it, in however many parts that comes", async () => {
  const events = [text("While it runs"), output("a", 1, false), output("b", 2, true), text("and after.\n")];
  expect(await told(events)).toEqual(["text While it runs", "tool_result", "text and after.\n"]);
});

it("puts pieces together to lines, and what is left before anything else", async () => {
  const events = [text("one t"), text("wo\nthr"), text("ee"), { type: "message_stop" }, text("four")];
  expect(await told(events)).toEqual(["text one two\n", "text three", "message_stop", "text four"]);
});

it("keeps thinking, messages and subagents apart", async () => {
  const thinking = { type: "thinking", text: "hm" };
  const events = [text("a"), thinking, text("b", { message: "1" }), text("c", { message: "2" })];
  expect(await told(events)).toEqual(["text a", "thinking hm", "text b", "text c"]);
  const inner = text("x", { parent_tool_use_id: "1" });
  expect(await told([text("a"), inner, text("b")])).toEqual(["text a", "text x", "text b"]);
});

it("does not wait for the end of a line that never ends, and for no shorter one less", async () => {
  const list = await told(Array.from({ length: 300 }, () => text("x".repeat(1000))));
  expect(Math.max(...list.map((one) => one.length))).toBeLessThan(20_000);
  // A line is told whole up to 200,000 characters, so a secret in it is found wherever the pieces are cut.
  const seen: number[] = [];
  const events = Array.from({ length: 300 }, () => text("x".repeat(1000)));
  for await (const _ of byLine(stream(events), (words, from = 0) => {
    seen.push(words.length);
    return words.slice(from);
  }));
  expect(seen).toEqual([201_000, 109_000]);
});

it("the end of a result that was cut may be half of a secret, so its last word goes", async () => {
  const ends = async (more: object) => {
    const results: string[] = [];
    for await (const event of byLine(stream([{ type: "result", result: "The key is SEC", ...more }]), String))
      if (event.type === "result") results.push(event.result);
    return results;
  };
  expect(await ends({ truncated: true })).toEqual(["The key is "]);
  expect(await ends({})).toEqual(["The key is SEC"]);
});

describe("a key over several lines", () => {
  const lines = Array.from({ length: 12 }, (_, at) => `${"MIIBVAIBADANBgkqhkiG9w0BAQEF".repeat(2)}${at}`);
  const key = ["-----BEGIN PRIVATE KEY-----", ...lines, "-----END PRIVATE KEY-----", ""].join("\n");
  const pieces = (words: string, size = 7) => words.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  const hide = async (words: readonly string[], more: object = {}) => {
    const { text: hidden } = await loadRedactor();
    const list: string[] = [];
    for await (const event of byLine(stream(words.map((one) => text(one, more))), hidden))
      if (event.type === "text" || event.type === "thinking") list.push(event.text);
    return list;
  };

  it.each(["text", "thinking"])(
    "is hidden as a whole in a %s, and what stands around it comes as before",
    async (type) => {
      const list = await hide(pieces(`This is it:\n${key}Keep it.\nFor ever.`), { type });
      const mark = "[redacted: private-key 1]\n";
      expect(list).toEqual(["This is it:\n", mark, "Keep it.\n", "For ever."]);
    },
  );

  it("is hidden where it is cut off, by its message or by what comes behind it", async () => {
    const cut = key.slice(0, 300);
    expect((await hide(pieces(cut))).join("")).toBe("[redacted: private-key 1]");
    const list = await hide(pieces(`${cut}\nAnd so on.\n`));
    expect(list.join("")).toBe("[redacted: private-key 1]\nAnd so on.\n");
  });

  it("keeps back nothing that only looks like the beginning of one", async () => {
    const words = "It says -----BEGIN PRIVATE KEY----- first.\nThen more.\n";
    expect(await hide([words.slice(0, 45), words.slice(45)])).toEqual([
      "It says -----BEGIN PRIVATE KEY----- first.\n",
      "Then more.\n",
    ]);
  });

  it("is the secret key behind its access key, too", async () => {
    const secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY";
    const list = await hide(pieces(`AKIA${"ABCDEFGH".repeat(2)}\n${secret}\nDone.\n`));
    expect(list.join("")).toBe("[redacted: aws-access-key 1]\n[redacted: aws-secret-key 1]\nDone.\n");
  });
});

it("hides what lies across two pieces of a text or of an output, and cuts the output anew", async () => {
  expect(await told([text("a SEC"), text("RET b")])).toEqual(["text a *** b"]);
  const events = [output(`${"x".repeat(15_000)}SEC`, 1, false), output(`RET${"y".repeat(9000)}`, 2, true)];
  const contents: string[] = [];
  for await (const event of byLine(stream(events), hideSecret))
    if (event.type === "tool_result") contents.push(event.content);
  expect(contents.join("")).toBe(`${"x".repeat(15_000)}***${"y".repeat(9000)}`);
  expect(contents).toHaveLength(2);
});
