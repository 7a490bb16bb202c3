// Parts of a message or a result as Codex's own content. It takes text and images; a document becomes a file
// beside the session and a note in its place, because a line with a file in it is dropped whole (0.166.0).
import { imageType } from "../../session/image.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Part } from "../../session/session.ts";
import type { Target, WrittenRecord } from "../adapter.ts";
import { NOTHING } from "./lines.ts";
import type { JsonObject } from "./native.ts";
import { documentFile, documentPath } from "./plan.ts";

export interface Translation {
  content: JsonObject[];
  /** What of it the view shows: notes of ours are for the model. */
  shown: JsonObject[];
  /** Files that stand in for documents. */
  files: WrittenRecord[];
  losses: Loss[];
}

interface Place {
  entry: string;
  target: Target;
}

/** What goes to the model: `input_text` and `input_image`. */
export function inputContent(parts: readonly Part[], place: Place): Translation {
  const made: Translation = { content: [], shown: [], files: [], losses: [] };
  for (const [number, part] of parts.entries()) {
    if (part.type === "image") addImage(made, part, place);
    else if (part.type === "document") addDocument(made, part, number, place);
    else addText(made, part, "input_text", place);
  }
  return made;
}

/** What came from the model: only `output_text`. */
export function outputContent(parts: readonly Part[], place: Place): Translation {
  const made: Translation = { content: [], shown: [], files: [], losses: [] };
  for (const part of parts) {
    if (part.type === "image")
      made.losses.push(loss("image_dropped", { entry: place.entry }, "a model's own message holds no image"));
    else if (part.type === "document")
      made.losses.push(
        loss("document_dropped", { entry: place.entry }, "a model's own message holds no file"),
      );
    else addText(made, part, "output_text", place);
  }
  return made;
}

/** The texts as the reader joins them. */
export function joined(content: readonly JsonObject[]): string {
  if (content.length === 1 && typeof content[0]?.text === "string") return content[0].text;
  return content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
}

type Media = Extract<Part, { type: "image" | "document" }>;

function addText(made: Translation, part: Exclude<Part, Media>, type: string, { entry }: Place): void {
  const words = wordsOf(part);
  if (words === "") return;
  if (part.type !== "text") made.losses.push(loss("part_converted", { entry }, part.type));
  say(made, { type, text: words });
}

function say(made: Translation, item: JsonObject): void {
  made.content.push(item);
  made.shown.push(item);
}

function wordsOf(part: Exclude<Part, Media>): string {
  switch (part.type) {
    case "code":
      return `\`\`\`${part.language ?? ""}\n${part.code}\n\`\`\``;
    case "artifact":
      return part.title === undefined ? part.text : `${part.title}\n\n${part.text}`;
    case "text":
    case "error":
      return part.text;
    // Thinking is decided on before it comes here.
    case "thinking":
      return "";
    default:
      return part satisfies never;
  }
}

function addImage(made: Translation, part: Media, { entry }: Place): void {
  const kind = part.data === undefined ? undefined : imageType(part.data);
  const inline = kind === undefined ? undefined : `data:${kind};base64,${part.data}`;
  const image_url = inline ?? part.url;
  if (image_url !== undefined) {
    say(made, { type: "input_image", image_url });
    return;
  }
  const where = part.path ?? part.name ?? "unknown";
  const why = part.data === undefined ? "its bytes are not recorded" : "its bytes are no image";
  made.losses.push(loss("image_dropped", { entry }, `${why}: ${where}`));
  made.content.push({ type: "input_text", text: `[Image: ${where}]` });
}

function addDocument(made: Translation, part: Media, number: number, { entry, target }: Place): void {
  const kind = part.mimeType ?? "application/octet-stream";
  if (part.data !== undefined && kind.startsWith("text/")) {
    made.losses.push(loss("part_converted", { entry }, `document of type ${kind}`));
    say(made, { type: "input_text", text: Buffer.from(part.data, "base64").toString("utf8") });
    return;
  }
  const name = part.name ?? part.path?.split(/[\\/]/).at(-1) ?? "document";
  let where = part.path ?? part.url ?? "not recorded";
  if (part.data !== undefined) {
    const file = fileName(entry, number, name, kind);
    where = documentPath(target, file);
    const bytes = Buffer.from(part.data, "base64");
    made.files.push({ type: "record", file: documentFile(file), bytes, says: NOTHING });
  }
  made.losses.push(loss("document_dropped", { entry }, `${name} (${kind}): ${where}`));
  made.content.push({ type: "input_text", text: `[Document ${name} (${kind}): ${where}]` });
}

function fileName(entry: string, number: number, name: string, kind: string): string {
  const safe = (text: string) => text.replace(/[^A-Za-z0-9._-]/g, "_").slice(-60);
  const ending = /\.[A-Za-z0-9]{1,8}$/.test(name)
    ? ""
    : `.${kind.split("/")[1]?.replace(/\W/g, "") ?? "bin"}`;
  return `${safe(entry)}-${number}-${safe(name)}${ending}`;
}
