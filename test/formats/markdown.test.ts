// The Markdown export: one golden document with everything in it, and no content that gets out of its place.
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { writeMarkdown } from "../../src/formats/markdown.ts";
import { codeSpan, fenced, quoted } from "../../src/formats/markdown-text.ts";
import { sessionId } from "../../src/session/id.ts";
import { loss } from "../../src/session/losses.ts";
import type { Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { fc } from "../property.ts";

const GOLDEN = new URL("fixtures/session.md", import.meta.url);

const markdown = async (session: Session, losses = false) => {
  const source = { ...sourceOf(session), losses: [loss("record_unknown", { record: 3 }, "type *new*")] };
  return (await Array.fromAsync(writeMarkdown(source, { losses }))).join("");
};

describe("a session with everything", () => {
  it("looks like the golden document", async () => {
    const text = await markdown(everything("Fix the `<Button>` *now*", "Done: see ```code```."), true);
    if (process.env.UPDATE_FIXTURES) await writeFile(GOLDEN, text);
    expect(text).toBe(await readFile(GOLDEN, "utf8"));
  });

  it.each([
    "</details><script>alert(1)</script>",
    "# Heading\n\n## Prompt\n</details>",
    "```\nunclosed <b>",
    "  ```\n```\n<script>",
    "- a\n  ```\n  <b>\n- b\n<script>",
    "~~~`\n<script>\n~~~",
    "text\n    ```js\n    <script>",
    "`\n` <script> `",
    "\\` <script> `",
    "![x](http://tracker.example/x.png)",
    "````\n```\n</details>\n````\n\n````",
    "<!--",
    "a\r\n# b",
    "| a | b |\n|---|---|",
  ])("%j stays inside", async (hostile) => {
    const harmless = await markdown(everything("x", "x"));
    const text = await markdown(everything(hostile, hostile));
    expect(structure(text)).toEqual(structure(harmless));
    expect(alive(text)).toEqual([]);
  });

  it("holds for generated text too", async () => {
    const piece = fc.constantFrom(
      "```",
      "~~~",
      "`",
      "``",
      "<b>",
      "</details>",
      "\n",
      "\n\n",
      "    ",
      "  ",
      "> ",
      "- ",
      "# ",
      "![a](b)",
      "x",
      "\\",
    );
    const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
    const expected = structure(await markdown(everything("x", "x")));
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        fc.pre(content.trim() !== "");
        expect(structure(await markdown(everything(content, content)))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});

describe("a quote", () => {
  it.each([
    [
      "keeps Markdown as it is",
      "**b** `a<b>` \n\n```ts\nArray<string>\n```",
      "> **b** `a<b>` \n>\n> ```ts\n> Array<string>\n> ```\n",
    ],
    [
      "keeps an indented fence that is closed",
      "1. x\n   ```\n   <a>\n   ```",
      "> 1. x\n>    ```\n>    <a>\n>    ```\n",
    ],
    ["disarms tags and images", "a <b>c</b> ![i](u) 1 < 2", "> a &lt;b>c&lt;/b> !\\[i](u) 1 < 2\n"],
    ["disarms everything when code is in doubt", "` <a>\n`", "> ` &lt;a>\n> `\n"],
  ])("%s", (_, text, expected) => {
    expect(quoted(text)).toBe(expected);
  });

  it("of a very long line of ticks is quick", () => {
    const line = "` `` ".repeat(100_000);
    const start = performance.now();
    expect(quoted(`${line}<b>`)).toContain("&lt;b>");
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

it("fences and spans are longer than any inside", () => {
  expect(fenced("a\n````\nb", "ts")).toBe("`````ts\na\n````\nb\n`````\n");
  expect(fenced("", "x`\n# y")).toBe("```x#y\n```\n");
  expect(codeSpan("a``b\nc")).toBe("```a``b c```");
  expect(codeSpan("`a")).toBe("`` `a ``");
});

/** Lines at the margin that give the document its shape, outside fences. */
function structure(text: string): string[] {
  return outsideFences(text).flatMap((line) => /^(#+ |<\/?[a-z]+|---)/.exec(line)?.[0] ?? []);
}

/** Tags and images that a Markdown viewer would act on, other than our own. */
function alive(text: string): string[] {
  const own =
    /^(<a id="session-[a-z0-9]+"><\/a>|<details><summary>[^<]*<\/summary>|<\/details>|!\[image\]\(data:.*)$/;
  let fence: string | undefined;
  return outsideFences(text).filter((line) => {
    const content = line.replace(/^> ?/, "");
    // Inside a quote a fence at its margin holds code, until it or the quote ends.
    if (!line.startsWith(">")) fence = undefined;
    const tick = /^(`{3,})[^`]*$/.exec(content)?.[1];
    if (line.startsWith(">") && tick !== undefined && fence === undefined) fence = tick;
    else if (fence !== undefined && new RegExp(`^${fence}\`*\\s*$`).test(content)) fence = undefined;
    return (
      fence === undefined &&
      !own.test(line) &&
      /<[a-z/!?]|!\[/i.test(content.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, ""))
    );
  });
}

function outsideFences(text: string): string[] {
  let fence: string | undefined;
  return text.split("\n").filter((line) => {
    const ticks = /^(`{3,})[^`]*$/.exec(line)?.[1];
    if (fence === undefined) {
      fence = ticks;
      return ticks === undefined;
    }
    if (ticks !== undefined && ticks.length >= fence.length && line.trim() === ticks) fence = undefined;
    return false;
  });
}

function everything(prompt: string, reply: string): Session {
  const common = { timestamp: "2026-01-02T03:04:05.000Z" };
  const header = {
    version: "1.0" as const,
    project: { path: "/home/me/my|app", name: "my|app", git: { branch: "main" } },
    model: { provider: "p", model: "model-1" },
    metadata: {
      created: common.timestamp,
      lastModified: common.timestamp,
      messageCount: 2,
      tokens: { input: 10, output: 5 },
      cost: 0.5,
    },
  };
  const child: Session = {
    ...header,
    id: sessionId("some-agent", "child"),
    source: { cli: "some-agent", originalId: "child" },
    title: "Look around",
    timeline: [{ ...common, id: "cu", type: "user", content: prompt }],
  };
  return {
    ...header,
    id: sessionId("some-agent", "main"),
    source: { cli: "some-agent", originalId: "main", version: "1.2.3" },
    title: `Title: ${prompt}`,
    links: [{ type: "subagent", session: "some-agent:child", entry: "c4" }],
    timeline: [
      { ...common, id: "i", type: "user", content: reply, injected: true },
      {
        ...common,
        id: "u",
        type: "user",
        content: prompt,
        parts: [
          { type: "text", text: prompt },
          { type: "image", mimeType: "image/png", data: "AAAA" },
          { type: "image", mimeType: "image/png", data: "A".repeat(100_000), name: reply },
          { type: "document", mimeType: "application/pdf", path: "/tmp/a.pdf" },
        ],
      },
      {
        ...common,
        id: "a",
        type: "assistant",
        content: reply,
        thinking: prompt,
        model: "model-1",
        turn: "t",
      },
      {
        ...common,
        id: "c1",
        type: "tool_call",
        tool: "bash",
        originalTool: "Bash",
        input: { command: prompt },
        turn: "t",
      },
      {
        ...common,
        id: "c2",
        type: "tool_call",
        tool: "edit",
        originalTool: "Edit",
        input: { path: "src/a.ts", edits: [{ old: reply, new: `${prompt}\n` }] },
        turn: "t",
      },
      { ...common, id: "r2", type: "tool_result", callId: "c2", success: false, output: "", error: reply },
      { ...common, id: "r1", type: "tool_result", callId: "c1", success: true, output: reply },
      { ...common, id: "c3", type: "tool_call", tool: "read", input: { path: reply } },
      { ...common, id: "c4", type: "tool_call", tool: "task", input: { prompt } },
      { ...common, id: "r4", type: "tool_result", callId: "c4", success: true, output: "ok", cleared: true },
      {
        ...common,
        id: "c5",
        type: "tool_call",
        tool: "edit",
        input: {
          path: "a",
          changes: [
            { kind: "move", path: "a", to: "b", diff: "@@\n-x\n+y" },
            { kind: "add", path: "c", content: "new\n" },
          ],
        },
      },
      { ...common, id: "s", type: "system", content: reply, subtype: "note" },
      { ...common, id: "k", type: "compaction", summary: prompt },
      {
        ...common,
        id: "w",
        type: "switch",
        switch: {
          timestamp: "t",
          fromProvider: "p",
          toProvider: "q",
          fromModel: "m",
          toModel: "n",
          messageIndex: 1,
        },
      },
    ],
    children: [child],
  };
}
