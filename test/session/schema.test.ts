// The universal session's schema: every document of the core is accepted and comes back unchanged, what we do
// not know survives, and what is wrong is refused.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { generated } from "../../scripts/generate.ts";
import { universalJsonSchema } from "../../src/session/json-schema.ts";
import { entrySchema, sessionSchema } from "../../src/session/schema.ts";
import type { Session } from "../../src/session/session.ts";
import { fc } from "../property.ts";
import { coreSession } from "./arbitrary.ts";

const fixture = async (name: string) =>
  JSON.parse(await readFile(new URL(`fixtures/${name}.json`, import.meta.url), "utf8")) as Session;

const extended: Session = {
  id: "s",
  version: "1.0",
  source: { cli: "some-agent", originalId: "o", version: "9.9.9" },
  project: { path: "/p", git: { branch: "main" } },
  model: { provider: "p", model: "m" },
  title: "T",
  summary: "S",
  head: "a",
  links: [{ type: "subagent", session: "some-agent:x", entry: "c" }],
  timeline: [
    {
      id: "u",
      timestamp: "t",
      type: "user",
      content: "look",
      parent: null,
      injected: true,
      parts: [
        { type: "text", text: "look" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "document", path: "/p/a.pdf" },
        { type: "artifact", title: "a", text: "b" },
        { type: "code", code: "1", language: "js" },
        { type: "error", text: "e" },
      ],
    },
    {
      id: "a",
      timestamp: "t",
      type: "assistant",
      content: "",
      turn: "m1",
      parent: "u",
      parts: [{ type: "thinking", text: "", signature: "sig", hidden: true }],
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 1 },
    },
    {
      id: "k",
      timestamp: "t",
      type: "compaction",
      keeps: ["u"],
      replacement: [{ id: "x", timestamp: "t", type: "user", content: "y" }],
    },
    {
      id: "w",
      timestamp: "t",
      type: "switch",
      switch: {
        timestamp: "t",
        fromProvider: "a",
        toProvider: "b",
        fromModel: "c",
        toModel: "d",
        messageIndex: 2,
      },
    },
  ],
  records: [{ index: 0, raw: "{}\n" }],
  children: [],
  metadata: { created: "t", lastModified: "t", messageCount: 2 },
};

describe("the core schema", () => {
  it.each(["core-full", "core-least"])("accepts %s and changes nothing", async (name) => {
    const document = await fixture(name);
    expect(sessionSchema.parse(document)).toEqual(document);
  });

  it("accepts every generated document and changes nothing", () => {
    fc.assert(
      fc.property(coreSession, (session) => {
        expect(sessionSchema.parse(session)).toEqual(session);
      }),
      { numRuns: 300 },
    );
  });

  it.each(["id", "version", "source", "project", "model", "timeline", "metadata"])(
    "refuses a document without %s",
    async (field) => {
      const { [field]: _, ...rest } = (await fixture("core-full")) as unknown as Record<string, unknown>;
      expect(sessionSchema.safeParse(rest).success).toBe(false);
    },
  );

  it("refuses another version", async () => {
    const document = { ...(await fixture("core-full")), version: "2.0" };
    expect(sessionSchema.safeParse(document).success).toBe(false);
  });

  it("refuses every entry of the core when one of its fields is gone", async () => {
    const optional = new Set(["thinking", "originalTool", "error"]);
    for (const entry of (await fixture("core-full")).timeline) {
      for (const field of Object.keys(entry).filter((name) => !optional.has(name))) {
        const { [field]: _, ...rest } = entry as unknown as Record<string, unknown>;
        expect(entrySchema.safeParse(rest).success, `${entry.type} without ${field}`).toBe(false);
      }
    }
  });
});

describe("the additions", () => {
  it("are accepted and unchanged", () => {
    expect(sessionSchema.parse(extended)).toEqual(extended);
  });

  it("leave unknown fields where they are, at every depth", () => {
    const odd = {
      ...extended,
      later: 1,
      project: { ...extended.project, later: { a: [1] } },
      timeline: [
        {
          id: "u",
          timestamp: "t",
          type: "user",
          content: "",
          later: true,
          parts: [{ type: "text", text: "", later: 2 }],
        },
      ],
    };
    expect(sessionSchema.parse(odd)).toEqual(odd);
  });

  it("are checked inside a subagent's session too", () => {
    expect(sessionSchema.safeParse({ ...extended, children: [extended] }).success).toBe(true);
    expect(sessionSchema.safeParse({ ...extended, children: [{ id: "no session" }] }).success).toBe(false);
  });

  it.each([
    ["an unknown part", { parts: [{ type: "hologram" }] }],
    ["usage without output", { usage: { input: 1 } }],
    ["a parent that is no id", { parent: 7 }],
  ])("refuse %s", (_, fields) => {
    const entry = { id: "u", timestamp: "t", type: "user", content: "", ...fields };
    expect(entrySchema.safeParse(entry).success).toBe(false);
  });
});

describe("the JSON Schema", () => {
  it("is 2020-12 and says the same as the schema it is derived from", async () => {
    const published = universalJsonSchema();
    expect(published.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    const back = z.fromJSONSchema(published as Parameters<typeof z.fromJSONSchema>[0]);
    expect(back.safeParse(extended).success).toBe(true);
    expect(back.safeParse({ ...extended, children: [{}] }).success).toBe(false);
    expect(back.safeParse({ ...extended, timeline: [{ type: "user" }] }).success).toBe(false);
    fc.assert(
      fc.property(coreSession, (session) => back.safeParse(session).success),
      { numRuns: 100 },
    );
  });

  it.each(Object.entries(generated()))("%s is current (npm run generate)", async (path, content) => {
    expect(await readFile(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(content);
  });
});
