// What the documents for people leave out: bytes that they only name.
import { mapped } from "../session/batches.ts";
import { loss } from "../session/losses.ts";
import type { Entry } from "../session/session.ts";
import type { WriteOptions } from "./format.ts";
import { type Inline, inlineOf, type Media, nameOf } from "./parts.ts";

/** Their header shows these facts, and subagents follow it. */
export const SHOWN = ["title", "project", "git", "tokens", "cost", "source", "times", "children"] as const;

/** The entries as they are; bytes that the document does not show are reported. */
export function reported(
  entries: AsyncIterable<Entry>,
  isShown: (part: Media, inline: Inline) => boolean,
  { onLoss }: WriteOptions,
): AsyncIterable<Entry> {
  if (!onLoss) return entries;
  return mapped(entries, (batch) => {
    for (const entry of batch)
      for (const part of mediaOf(entry)) {
        const inline = inlineOf(part);
        if (!inline || isShown(part, inline)) continue;
        const kind = part.type === "image" ? "image_dropped" : "document_dropped";
        onLoss(loss(kind, { entry: entry.id }, `${nameOf(part)}, ${sizeOf(inline)}`));
      }
    return batch;
  });
}

export function mediaOf({ parts = [] }: Entry): Media[] {
  return parts.filter((part) => part.type === "image" || part.type === "document");
}

export function sizeOf({ data }: Inline): string {
  return `${Math.ceil((data.length * 3) / 4 / 1024)} KB`;
}
