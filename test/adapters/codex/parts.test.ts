// Images, documents and thinking on their way into Codex.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sourceOf } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { assistant, bash, result, sessionOf, user, written } from "./carried.ts";
import { applied, privateHome, targetIn, writeAll } from "./store.ts";

const PNG = "iVBORw0KGgo=";

test("images go along, in messages and in results", async () => {
  const image = { type: "image", mimeType: "image/png", data: PNG };
  const { lines, losses } = await written([
    user("see", { parts: [{ type: "text", text: "see" }, image] }),
    bash("c1", "x"),
    result("c1", "shot", { parts: [{ type: "text", text: "shot" }, image] }),
  ]);
  const content = lines.flatMap(({ payload }) => payload.content ?? payload.output ?? []);
  const url = `data:image/png;base64,${PNG}`;
  expect(content).toEqual([
    ...[
      { type: "input_text", text: "see" },
      { type: "input_image", image_url: url },
    ],
    ...[
      { type: "input_text", text: "shot" },
      { type: "input_image", image_url: url },
    ],
  ]);
  expect(losses.filter(({ severity }) => severity !== "info")).toEqual([]);
});

test("bytes that are no image are named, because Codex says in their place that it cannot decode them", async () => {
  const broken = { type: "image", mimeType: "image/png", data: "AA==", name: "shot.png" };
  const { lines, losses } = await written([user("", { parts: [broken] })]);
  const [content] = lines.flatMap(({ payload }) => (payload.content ? [payload.content] : []));
  expect(content).toEqual([{ type: "input_text", text: "[Image: shot.png]" }]);
  expect(losses.map(({ kind }) => kind)).toContain("image_dropped");
});

test("an image that the model made follows its words in the user's role", async () => {
  const made = { type: "image", mimeType: "image/png", data: PNG };
  const { lines, losses } = await written([
    user("draw"),
    assistant("Here", { parts: [{ type: "text", text: "Here" }, made] }),
  ]);
  const items = lines.flatMap(({ payload }) => (payload.type === "message" ? [payload] : []));
  expect(items.slice(1)).toMatchObject([
    { role: "assistant", content: [{ type: "output_text", text: "Here" }] },
    { role: "user", content: [{ type: "input_image", image_url: `data:image/png;base64,${PNG}` }] },
  ]);
  expect(losses.map(({ kind }) => kind)).toContain("role_changed");
});

test("an image without bytes is named", async () => {
  const { lines, losses } = await written([user("", { parts: [{ type: "image", path: "/i.png" }] })]);
  expect(
    lines.some(
      ({ payload }) => JSON.stringify(payload.content) === '[{"type":"input_text","text":"[Image: /i.png]"}]',
    ),
  ).toBe(true);
  expect(losses.map(({ kind }) => kind)).toContain("image_dropped");
});

test("a document becomes a file beside the session and a note in its place", async () => {
  const bytes = Buffer.from("%PDF-1.4");
  const document = {
    type: "document",
    mimeType: "application/pdf",
    name: "a b.pdf",
    data: bytes.toString("base64"),
  };
  const found = await written([user("read", { parts: [{ type: "text", text: "read" }, document] })]);
  const path = join(found.home.dir, ".codex/baton-documents", found.target.originalId, "e0-1-a_b.pdf");
  const { files } = await applied(found, found.target);
  expect(files).toContain(path);
  expect(await readFile(path)).toEqual(bytes);
  expect(found.main).toContain(`[Document a b.pdf (application/pdf): ${path}]`);
  expect(found.losses).toContainEqual(
    expect.objectContaining({ kind: "document_dropped", severity: "warning", at: { entry: "e0" } }),
  );
  const shown = found.lines.find(({ payload }) => payload.item?.type === "UserMessage");
  expect(shown?.payload.item?.content).toEqual([{ type: "text", text: "read", text_elements: [] }]);
});

test("a document of text is text", async () => {
  const document = {
    type: "document",
    mimeType: "text/plain",
    data: Buffer.from("words").toString("base64"),
  };
  const { lines, losses } = await written([user("", { parts: [document] })]);
  expect(lines.find(({ type }) => type === "response_item")?.payload.content).toEqual([
    { type: "input_text", text: "words" },
  ]);
  expect(losses.map(({ kind }) => kind)).toContain("part_converted");
});

test("thinking without Codex's own seal is left out", async () => {
  const home = await privateHome();
  const timeline = [
    user("q"),
    assistant("a", {
      parts: [
        { type: "thinking", text: "hm", signature: "s" },
        { type: "text", text: "a" },
      ],
    }),
  ];
  const stream = visible(sourceOf(sessionOf(timeline)));
  const { main, losses } = await writeAll(stream, targetIn(home));
  expect(main).not.toContain("reasoning");
  expect(losses).toContainEqual(expect.objectContaining({ kind: "thinking_dropped", at: { entry: "e1" } }));
});

test("half a character is replaced and reported, because Codex drops a line that spells one", async () => {
  const { main, losses } = await written([user("a \ud800 b"), bash("c1", "echo \udc00")]);
  expect(main).toContain("a \ufffd b");
  expect(main).not.toMatch(/\\ud[89a-f]/);
  expect(losses.map(({ kind }) => kind)).toContain("text_replaced");
});
