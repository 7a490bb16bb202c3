// The summary of what a reduction leaves out: extracted from it, or made by a model, and then kept until the switch has
// succeeded.
import { createHash } from "node:crypto";
import { countTokens } from "../models/tokens.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { entryText } from "../session/text.ts";
import { keepSummary, keptSummary } from "../storage/summaries.ts";
import { newExtract } from "../transform/extract.ts";
import type { Reduction } from "./reduction.ts";
import { type Summarizer, summarize } from "./summarize.ts";

interface Summarized {
  source: Source;
  /** Absent = it is extracted. */
  summarizer?: Summarizer;
  summarizedBy?: string;
  batonHome?: string;
  signal?: AbortSignal;
  /** Told under which key a model's summary is kept. */
  onKey(key: string): void;
}

export async function summaryOf(request: Summarized, stream: Stream, reduction: Reduction): Promise<string> {
  const left = () => leftOut(stream.entries(), reduction);
  const { summarizer, source } = request;
  if (summarizer) return modelSummary(request, left, reduction.summary, summarizer);
  const extract = newExtract(source.header.project.path);
  for await (const entry of left()) extract.add(entry);
  return extract.text({ tokens: reduction.summary, count: countTokens });
}

async function modelSummary(
  { batonHome, signal, summarizedBy = "", onKey }: Summarized,
  left: () => AsyncIterable<Entry>,
  maxTokens: number,
  summarizer: Summarizer,
): Promise<string> {
  const key = batonHome === undefined ? undefined : await summaryKey(left(), `${maxTokens} ${summarizedBy}`);
  if (key !== undefined) onKey(key);
  const known = key === undefined || batonHome === undefined ? undefined : await keptSummary(batonHome, key);
  if (known !== undefined) return known;
  const options = { summarizer, count: countTokens, maxTokens, ...(signal && { signal }) };
  const summary = await summarize(left(), options);
  if (key !== undefined && batonHome !== undefined) await keepSummary(batonHome, key, summary);
  return summary;
}

/** The same for the same words, the same length and the same summariser. */
async function summaryKey(entries: AsyncIterable<Entry>, how: string): Promise<string> {
  const hash = createHash("sha256").update(how);
  for await (const entry of entries) hash.update(`\n${entry.type} ${entryText(entry)}`);
  return hash.digest("hex").slice(0, 32);
}

async function* leftOut(
  entries: AsyncIterable<Entry>,
  { cut, prompt, instructions }: Reduction,
): AsyncGenerator<Entry> {
  let at = -1;
  for await (const entry of entries) {
    at++;
    if (at >= cut) return;
    if (at >= instructions && at !== prompt) yield entry;
  }
}
