// Documents for people name what they do not show, and a loss says so.
import { expect, it } from "vitest";
import type { WriteOptions } from "../../src/formats/format.ts";
import { writeHtml } from "../../src/formats/html.ts";
import { writeMarkdown } from "../../src/formats/markdown.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Part } from "../../src/session/session.ts";
import { type Stream, sourceOf } from "../../src/session/source.ts";
import { call, compaction, result, session, user } from "../session/build.ts";
import { PDF, PNG } from "./conversation.ts";

const SVG = Buffer.from("<svg/>").toString("base64");
const large = PNG.replace(/=+$/, "").padEnd(80_000, "A");
const image: Part = { type: "image", mimeType: "image/png", data: PNG };
const paper: Part = { type: "document", mimeType: "application/pdf", data: PDF, name: "paper.pdf" };
const drawing: Part = { type: "image", mimeType: "image/svg+xml", data: SVG, name: "x.svg" };
const photo: Part = { type: "image", mimeType: "image/png", data: large, name: "photo.png" };
const elsewhere: Part = { type: "image", path: "shot.png" };

const made = session(
  [
    user("seen", { parts: [image, elsewhere] }),
    user("u", { parts: [paper, drawing, photo] }),
    user("i", { injected: true, parts: [paper, image] }),
    compaction("k", { replacement: [user("left", { parts: [paper] })] }),
    call("c1"),
    result("c1", { parts: [paper] }),
  ],
  { children: [session([user("inner", { parts: [paper] })], { id: "kid" })] },
);

type Write = (stream: Stream, options: WriteOptions) => AsyncIterable<string>;

async function written(write: Write): Promise<{ text: string; lost: string[] }> {
  const losses: Loss[] = [];
  const pieces = write(sourceOf(made), { onLoss: (found) => losses.push(found) });
  const text = (await Array.fromAsync(pieces)).join("");
  const lost = losses.map(({ kind, at, detail }) => `${kind} ${at.entry ?? "-"} ${detail}`);
  return { text, lost };
}

const PAPERS = [
  "document_dropped u paper.pdf, 1 KB",
  "document_dropped i paper.pdf, 1 KB",
  "document_dropped left paper.pdf, 1 KB",
  "document_dropped r1 paper.pdf, 1 KB",
  "document_dropped inner paper.pdf, 1 KB",
];

it("Markdown names documents and images that would make it unreadable", async () => {
  const { text, lost } = await written(writeMarkdown);
  expect(lost.toSorted()).toEqual([...PAPERS, "image_dropped u photo.png, 59 KB"].toSorted());
  expect(text.split(PNG).length - 1).toBe(2);
  expect(text.split("paper.pdf").length - 1).toBe(5);
});

it("HTML names documents and images that could run something", async () => {
  const { text, lost } = await written(writeHtml);
  expect(lost.toSorted()).toEqual([...PAPERS, "image_dropped u x.svg, 1 KB"].toSorted());
  expect(text.split(PNG).length - 1).toBe(2);
  expect(text.split("paper.pdf").length - 1).toBe(5);
});

it("what the head of the document does not show is reported too", async () => {
  const source = sourceOf({
    ...session([user("u")]),
    summary: "All of it.",
    model: { provider: "p", model: "m", config: { effort: "high" } },
  });
  for (const write of [writeMarkdown, writeHtml] as Write[]) {
    const losses: Loss[] = [];
    await Array.fromAsync(write(source, { onLoss: (found) => losses.push(found) }));
    expect(losses).toMatchObject([{ kind: "facts_dropped", detail: "summary, config" }]);
  }
});
