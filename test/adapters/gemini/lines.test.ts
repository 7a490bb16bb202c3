// What the CLI cannot take inside a line, although it is valid JSON (measured with 0.61.0).
import { expect, it } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import type { Entry } from "../../../src/session/session.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { bundle } from "../../../src/switch/bundle.ts";
import { assistant, session, user } from "../../session/build.ts";

const pdf = { type: "document", mimeType: "application/pdf", data: "JVBERi0=", name: "a.pdf" } as const;
const prompt: Entry = {
  ...(user("u1") as Extract<Entry, { type: "user" }>),
  content: "one\u2028two\u2029three",
  parts: [{ type: "text", text: "one\u2028two\u2029three" }, pdf],
};

async function written(): Promise<string> {
  const source = sourceOf(session([prompt, assistant("a1")]));
  const home = { dir: "/nowhere", env: {} };
  const { pieces } = await bundle({ source, to: gemini, home, path: "/nowhere/session.jsonl" });
  const all = await Array.fromAsync(pieces, ({ bytes }) => Buffer.from(bytes).toString("utf8"));
  return all.join("");
}

it("has no other ends of lines than newlines", async () => {
  const text = await written();
  expect(text).not.toMatch(/[\u2028\u2029]/);
  expect(text).toContain("one\\u2028two\\u2029three");
});

it("names no file beside its bytes", async () => {
  const text = await written();
  expect(text).toContain('"data":"JVBERi0="');
  expect(text).not.toContain("displayName");
});
