// Makes a session fit: leaves out what a reduction says, puts a summary or a note in its place, and shortens payloads.
import { batched, batchesOf } from "../session/batches.ts";
import { type Loss, type LossName, loss } from "../session/losses.ts";
import type { Entry, UserEntry } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { clipEntry, emptyCall } from "../transform/clip.ts";
import type { Reduction } from "./reduction.ts";
import { type Count, tokensOf } from "./weigh.ts";

export interface Reduced {
  reduction: Reduction;
  /** Whether an entry of the source is of a message that is left out. */
  isLeftOut?(entry: string): boolean;
  /** What stands for the entries that are left out; undefined = they are only named. */
  summary: string | undefined;
  count: Count;
  /** How to name this session to whoever wants to read all of it. */
  source: string;
  now: Date;
}

/** What is left out wherever it stands, so that the reduction makes no difference to it. */
const ANYWAY: ReadonlySet<LossName> = new Set(["context_dropped", "instructions_omitted", "tools_omitted"]);

export function reduced(stream: Stream, options: Reduced): Stream {
  const own: Loss[] = [];
  return {
    ...stream,
    get losses() {
      const stays = ({ kind, at }: Loss) => ANYWAY.has(kind) || !options.isLeftOut?.(at.entry ?? "");
      return [...stream.losses.filter(stays), ...own];
    },
    entries: () =>
      batched(() => {
        own.length = 0;
        return shortened(stream, options, own);
      }),
  };
}

async function* shortened(stream: Stream, options: Reduced, losses: Loss[]): AsyncGenerator<Entry[]> {
  const { cut, prompt, instructions } = options.reduction;
  let at = -1;
  let isOpened = false;
  for await (const batch of batchesOf(stream.entries())) {
    const found: Entry[] = [];
    for (const entry of batch) {
      at++;
      if (at < instructions) found.push(entry);
      else if (at >= cut || at === prompt) {
        if (!isOpened) found.push(...opening(options, losses));
        isOpened = true;
        found.push(clipped(entry, at, options, losses));
      } else if (entry.type === "switch") found.push(entry);
    }
    if (found.length > 0) yield found;
  }
}

/** The heading that tells a model, and us later, that this stands for messages. */
const summaryHeading = (messages: number) => `[Previous conversation summary - ${messages} messages]`;

function opening(options: Reduced, losses: Loss[]): Entry[] {
  const { leftOut } = options.reduction;
  if (leftOut === 0) return [];
  const kind = options.summary === undefined ? "history_truncated" : "history_summarized";
  losses.push(loss(kind, {}, `${leftOut} message(s)`));
  return [standIn(leftOut, options)];
}

/** What stands for the messages that are left out. */
export function standIn(
  leftOut: number,
  { summary, source, now }: Omit<Reduced, "reduction" | "count">,
): UserEntry {
  const note = `[Earlier conversation left out - ${leftOut} messages; all of it: baton show ${source}]`;
  return {
    id: "baton-summary",
    timestamp: now.toISOString(),
    type: "user",
    content: summary === undefined ? note : `${summaryHeading(leftOut)}\n\n${summary}`,
    injected: true,
  };
}

function clipped(entry: Entry, at: number, options: Reduced, losses: Loss[]): Entry {
  const most = options.reduction.clips.get(at);
  if (most === undefined) return entry;
  const where = `baton show ${options.source} --entry ${entry.id}`;
  const { payload } = tokensOf(entry, options.count);
  let best = entry;
  // Both ends may be heavier than the middle, so the share that is kept is tried until it is light enough.
  for (let keep = Math.floor((lengthOf(entry) * most) / payload); keep > 0; keep = Math.floor(keep / 2)) {
    best = clipEntry(entry, keep, where) ?? best;
    if (tokensOf(best, options.count).payload <= most) break;
  }
  // Of many small values none gets shorter.
  if (entry.type === "tool_call" && tokensOf(best, options.count).payload > most)
    best = emptyCall(entry, where);
  if (best === entry) return entry;
  losses.push(loss("payload_clipped", { entry: entry.id }, `about ${payload} tokens became ${most}`));
  return best;
}

function lengthOf(entry: Entry): number {
  if (entry.type === "tool_result") return Math.max(entry.output.length, entry.error?.length ?? 0);
  if (entry.type !== "tool_call") return 0;
  return JSON.stringify(entry.originalInput ?? entry.input).length;
}
