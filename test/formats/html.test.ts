// The HTML page: nothing in a session comes alive in it, and everything in the session is there to be read.

import { describe, expect, it } from "vitest";
import { writeHtml } from "../../src/formats/html.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { fc } from "../property.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";
import { anySession } from "./arbitrary.ts";
import { conversation, PNG } from "./conversation.ts";

async function page(made: Session, losses = false): Promise<string> {
  return (await Array.fromAsync(writeHtml(sourceOf(made), { losses }))).join("");
}

/** The tags of a page, by an independent and very plain reading: no attribute of ours holds a `>`. */
function tagsOf(html: string): string[] {
  return Array.from(html.replace(/<style>[\s\S]*?<\/style>/, "").matchAll(/<[^>]*>/g), ([tag]) => tag);
}

const OURS =
  /^<(?:!doctype|\/?(?:html|head|body|title|header|main|article|section|nav|h1|h2|h3|dl|dt|dd|div|p|pre|code|span|details|summary|ul|ol|li)|meta|a|img|hr|time|\/a|\/time)\b/;
const ATTRIBUTES =
  /^(?:lang|charset|http-equiv|content|name|class|href|dir|id|tabindex|open|datetime|src|alt|aria-label)$/;

/** What could run, fetch or lead away. */
function alive(html: string): string[] {
  return tagsOf(html).filter((tag) => {
    if (!OURS.test(tag)) return true;
    const names = Array.from(
      tag.replace(/"[^"]*"/g, '""').matchAll(/\s([\w-]+)(?==|\s|>)/g),
      ([, name]) => name ?? "",
    );
    if (!tag.startsWith("<!") && names.some((name) => !ATTRIBUTES.test(name))) return true;
    const target = /\s(?:href|src)="([^"]*)"/.exec(tag)?.[1];
    return (
      target !== undefined && !/^(?:#[\w-]*|data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]*)$/.test(target)
    );
  });
}

/** Opened and closed in order. */
function isBalanced(html: string): boolean {
  const open: string[] = [];
  for (const tag of tagsOf(html)) {
    const [, slash, name = ""] = /^<(\/?)(!?[\w]+)/.exec(tag) ?? [];
    if (["!doctype", "meta", "img", "hr"].includes(name)) continue;
    if (slash) {
      if (open.pop() !== name) return false;
    } else open.push(name);
  }
  return open.length === 0;
}

/** What a reader sees of the page. */
function textOf(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&");
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "</pre></details></article><h1>gone</h1>",
  '" onmouseover="alert(1)',
  "' autofocus onfocus='alert(1)",
  "<!-- ",
  "]]> <![CDATA[",
  "</title><script>alert(1)</script>",
  "&lt;script&gt;",
  "javascript:alert(1)",
  '<a href="javascript:alert(1)">x</a>',
  "\u001b]0;title\u0007\u202Eevil",
  "</style><style>body{display:none}",
  '<meta http-equiv="refresh" content="0;url=http://x">',
];

function everywhere(text: string): Session {
  const bytes = { mimeType: text, data: text, url: text, name: text };
  return session(
    [
      user("u1", {
        parts: [
          { type: "text", text },
          { type: "image", ...bytes },
          { type: "document", ...bytes },
        ],
      }),
      { ...user("u2"), injected: true, content: text } as Entry,
      {
        ...assistant("a", {
          parts: [
            { type: "thinking", text },
            { type: "code", code: text, language: text },
            { type: "artifact", text, title: text, artifactId: text },
            { type: "error", text },
          ],
        }),
        model: text,
        timestamp: text,
      } as Entry,
      { ...call("c1"), originalTool: text, input: { command: text } } as Entry,
      { ...result("c1"), output: text, success: false } as Entry,
      { ...call("c2"), tool: "edit", input: { path: text, edits: [{ old: text, new: text }] } } as Entry,
      { ...result("c2"), output: "", error: text } as Entry,
      { ...call("c3"), tool: "unknown", input: { [text]: text } } as Entry,
      result("c9", {}, "stray"),
      { id: text, timestamp: text, type: "system", content: text, subtype: text },
      compaction("k", { summary: text }),
    ],
    {
      id: text,
      title: text,
      source: { cli: text, originalId: text, version: text },
      project: { path: text, git: { branch: text } },
      children: [session([user("child")], { id: text, title: text })],
      links: [{ type: "subagent", session: `x:${text}`, entry: "c1" }],
    },
  );
}

describe("nothing comes alive", () => {
  it.each(HOSTILE)("%j", async (text) => {
    const html = await page(everywhere(text), true);
    expect(alive(html)).toEqual([]);
    expect(isBalanced(html)).toBe(true);
  });

  it("in any session", async () => {
    const marked = fc.constantFrom(...HOSTILE).chain((text) => fc.constant(everywhere(text)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(anySession, conversation, marked), async (made) => {
        const html = await page(made, true);
        expect(alive(html)).toEqual([]);
        expect(isBalanced(html)).toBe(true);
      }),
      { numRuns: 80 },
    );
  });

  it("and the check itself sees what is alive", () => {
    for (const bad of [
      "<script>x</script>",
      '<img src="http://x/y.png" alt="">',
      '<p onclick="x">',
      '<a href="javascript:x">',
    ])
      expect(alive(bad).length, bad).toBeGreaterThan(0);
    expect(isBalanced("<p><div></p></div>")).toBe(false);
  });

  it("because nothing may be fetched or run anyway", async () => {
    const html = await page(session([user("u")]));
    expect(html).toContain("default-src 'none'; img-src data:; style-src 'unsafe-inline'");
    expect(html).not.toMatch(/<script|<link|<iframe|url\(|@import/);
  });
});

describe("a reader finds", () => {
  it("every text, call and result of any conversation", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const shown = folded(textOf(await page(made)));
        for (const entry of made.timeline) {
          if ("content" in entry) expect(shown).toContain(folded(entry.content));
          if (entry.type === "tool_result") expect(shown).toContain(folded(entry.output));
          if (entry.type === "tool_call") expect(shown).toContain(entry.originalTool);
        }
      }),
      { numRuns: 40 },
    );
  });

  const folded = (text: string) =>
    text
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
      .replace(/\s+/g, " ")
      .trim();

  it("images in the page, edits as diffs, failures open, thinking and outputs folded", async () => {
    const html = await page(
      session([
        user("u", { parts: [{ type: "image", mimeType: "image/svg+xml", data: PNG, name: "shot" }] }),
        assistant("a", { thinking: "deep" }),
        {
          ...call("c1"),
          tool: "edit",
          input: { path: "/a.ts", edits: [{ old: "one", new: "two" }] },
        } as Entry,
        result("c1"),
        call("c2"),
        { ...result("c2"), success: false, output: "it broke" } as Entry,
        call("c3"),
        result("c3"),
      ]),
    );
    expect(html).toContain(`<img src="data:image/png;base64,${PNG}" alt="Image: shot">`);
    expect(html).toContain('<span class="removed">-one</span>\n<span class="added">+two</span>');
    expect(html).toMatch(
      /<details class="failed" open><summary>bash <code>run c2<\/code> · failed<\/summary>/,
    );
    expect(html).toContain("<details><summary>Thinking</summary>");
    expect(html).toContain("<details><summary>bash <code>run c3</code></summary>");
  });

  it("a picture that is none only by name", async () => {
    const svg = Buffer.from("<svg onload='alert(1)'/>").toString("base64");
    const html = await page(
      session([
        user("u", { parts: [{ type: "image", mimeType: "image/svg+xml", data: svg, name: "x.svg" }] }),
      ]),
    );
    expect(html).not.toContain("<img");
    expect(html).toContain("Image: x.svg");
  });

  it("one heading a prompt, a list of them, subagents with a link from their call", async () => {
    const html = await page(
      session([user("u1"), call("c1"), result("c1"), user("u2")], {
        links: [{ type: "subagent", session: "claude:kid", entry: "c1" }],
        children: [session([user("inner")], { id: "fsgq9z0ghsb8", title: "Helper" })],
      }),
    );
    expect(html.match(/<h2>Prompt \d/g)).toHaveLength(3);
    expect(html).toContain('<a href="#prompt-2" dir="auto">says u2</a>');
    const target = /<a href="#(session-\w+)">Its subagent/.exec(html)?.[1];
    expect(target).toBeDefined();
    expect(html).toContain("<h2>Subagent: Helper</h2>");
  });
});
