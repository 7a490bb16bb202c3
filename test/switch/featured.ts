// Sessions with one thing in them that another agent or model may not take as it is, and the agents and models between
// which a conversation is switched.
import type { Entry, Part, Session } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { assistant, call, result, session, user } from "../session/build.ts";

/** A red dot. */
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const PDF = Buffer.from("%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n").toString("base64");

const more = (entry: Entry, fields: object): Entry => ({ ...entry, ...fields }) as Entry;

export const replied = (id: string, parts: Part[], fields: object = {}): Entry => {
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return more(assistant(id), { content, parts, ...fields });
};

const asked = (id: string, parts: Part[]): Entry => more(user(id), { parts });

export const text = (words: string): Part => ({ type: "text", text: words });

/** A call of a tool that is none of the common ones. */
const called = (id: string, name: string, input: object = {}): Entry =>
  more(call(id), { tool: "unknown", originalTool: name, input, originalInput: input });

const searched = (id: string, fields: object = {}): Entry =>
  more(call(id), { tool: "web_search", input: { query: "weather" }, ...fields });

/** By the row of the matrix; each stands at the third message, between a turn before and a turn after. */
export const FEATURES: Record<string, Entry[]> = {
  nothing: [],
  "thinking blocks": [
    user("u2"),
    replied("a2", [{ type: "thinking", text: "hm" }, { type: "thinking", text: "so" }, text("done")]),
    user("u3"),
    more(assistant("a3"), { thinking: "aha" }),
  ],
  "hidden reasoning": [
    user("u2"),
    replied("a2", [{ type: "thinking", text: "", hidden: true }, text("done")]),
  ],
  artifacts: [
    user("u2"),
    replied("a2", [
      text("two of them"),
      {
        type: "artifact",
        artifactType: "code",
        title: "one.ts",
        language: "typescript",
        text: "const a = 1;",
      },
      { type: "artifact", artifactType: "document", title: "Notes", text: "# Notes" },
    ]),
  ],
  "MCP tools": [
    user("u2"),
    called("c1", "mcp__github__create_issue", { title: "a bug" }),
    result("c1"),
    called("c2", "mcp__github__list_issues"),
    result("c2"),
  ],
  "tool calls": [user("u2"), call("c1"), result("c1"), call("c2"), result("c2")],
  "PDF input": [
    asked("u2", [
      text("read it"),
      { type: "document", mimeType: "application/pdf", name: "a.pdf", data: PDF },
    ]),
    assistant("a2"),
  ],
  "images in input": [
    asked("u2", [text("look"), { type: "image", mimeType: "image/png", data: PNG }]),
    assistant("a2"),
  ],
  "images in output": [
    user("u2"),
    replied("a2", [text("there"), { type: "image", url: "https://images.example/dot.png" }]),
  ],
  "grounding results": [
    user("u2"),
    more(assistant("a2"), { groundingMetadata: { webSearchQueries: ["weather"] } }),
  ],
  "browsing results": [user("u2"), searched("c1", { hosted: true }), assistant("a2")],
  "code that ran at the provider": [
    user("u2"),
    more(called("c1", "code_interpreter", { code: "1+1" }), { hosted: true }),
    assistant("a2"),
  ],
  "unfinished calls": [user("u2"), call("c1"), result("c1"), call("c2"), call("c3"), result("c3")],
};

export interface Side {
  agent: string;
  provider: string;
  model: string;
}

export const CLAUDE: Side = { agent: "claude", provider: "anthropic", model: "claude-opus-4-5-20251101" };
export const GEMINI: Side = { agent: "gemini", provider: "google", model: "gemini-2.5-pro" };
export const OPENAI: Side = { agent: "codex", provider: "openai", model: "gpt-5.5" };

/** Between a turn before and a turn after. */
export const around = (entries: readonly Entry[]): Entry[] => [
  user("u1"),
  assistant("a1"),
  ...entries,
  user("u9"),
  assistant("a9"),
];

export function sourceWith(from: Side, timeline: readonly Entry[], fields: Partial<Session> = {}): Source {
  const { agent, provider, model } = from;
  return sourceOf(
    session([...timeline], {
      source: { cli: agent, originalId: "0199a3f0-1111-7222-8333-444455556666" },
      model: { provider, model },
      ...fields,
    }),
  );
}
