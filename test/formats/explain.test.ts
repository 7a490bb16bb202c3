// A file that is no session gets an error that says what it is, where it is wrong and what to do.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../src/formats/explain.ts";
import { formats } from "../../src/formats/index.ts";
import { sourceOf } from "../../src/session/source.ts";
import { assistant, session, user } from "../session/build.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();

async function explained(content: string, name = "file") {
  const path = join(folder(), name);
  await writeFile(path, content);
  const error = await explain(path, formats);
  return error && { code: error.code, message: error.message.replace(path, "FILE"), hint: error.hint };
}

describe("a file that is no session", () => {
  it.each([
    ["", "FILE is empty: there is no session in it."],
    [" \n\n", "FILE begins with nothing but blanks: there is no session in it."],
  ])("%j is empty", async (content, message) => {
    expect(await explained(content)).toMatchObject({
      code: "damaged",
      message,
      hint: expect.stringContaining("baton list"),
    });
  });

  it.each([
    ["markdown", "Markdown"],
    ["html", "an HTML page"],
  ])("an export to %s cannot be read back, and what can is named", async (id, called) => {
    const format = formats.find((one) => one.id === id);
    const pieces = await Array.fromAsync(format?.write(sourceOf(session([user("u"), assistant("a")]))) ?? []);
    expect(await explained(pieces.join(""))).toMatchObject({
      code: "unsupported",
      message: `FILE is ${called}, which is written for people and cannot be read back as a session.`,
      hint: expect.stringContaining("--to universal"),
    });
  });

  it("Markdown is known by its name too", async () => {
    expect(await explained("Some notes\n", "notes.md")).toMatchObject({ code: "unsupported" });
    expect(await explained("Some notes\n", "notes.txt")).toBeUndefined();
  });

  it.each([
    [
      { messages: [{ role: "foo" }] },
      'OpenAI Chat Completions, but messages[0].role: must be system, user, assistant or tool, not "foo".',
    ],
    [
      { messages: [{ role: "user", content: "x" }, { content: "y" }] },
      "OpenAI Chat Completions, but messages[1].role: is missing; it must be system, user, assistant or tool.",
    ],
    [[{ role: "user", content: "x" }, 5], "OpenAI Chat Completions, but messages[1]: must be an object."],
    [
      {
        system: "s",
        messages: [
          { role: "user", content: "x" },
          { role: "model", content: "y" },
        ],
      },
      'Anthropic Messages, but messages[1].role: must be user or assistant, not "model".',
    ],
    [
      { contents: [{ role: "robot", parts: [{ text: "x" }] }] },
      'Gemini contents, but contents[0].role: must be user or model, not "robot".',
    ],
    [
      {
        input: [
          { role: "user", content: "x" },
          { role: "foo", content: "y" },
        ],
      },
      'OpenAI Responses, but input[1].role: must be system, user or assistant, not "foo".',
    ],
  ])("%j names the format and the place", async (value, problem) => {
    expect(await explained(JSON.stringify(value, null, 2))).toEqual({
      code: "damaged",
      message: `FILE looks like ${problem}`,
      hint: expect.stringContaining("--from"),
    });
  });

  it("JSON that is cut off is not JSON", async () => {
    expect(await explained('{\n  "messages": [{"role": "user",')).toMatchObject({
      code: "damaged",
      message: expect.stringMatching(/^FILE is not JSON: .+/),
    });
  });

  it.each(['{"name":"x"}', '{"sessionId":"s","messages":[{"type":"user"}]}', '{"a":1}\n{"b":2}\n', "hello"])(
    "%s is not taken for more than it is",
    async (content) => {
      expect(await explained(content)).toBeUndefined();
    },
  );
});
