// What a stream holds of each record that it came from, so that the writer knows what was left out or changed.
import { isDeepStrictEqual } from "node:util";
import { type Loss, loss } from "../../session/losses.ts";
import type { Compaction, Entry, SessionRecord, Usage } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { usageOf } from "./messages.ts";
import { filled, isObject, type Json } from "./native.ts";
import { signature } from "./signature.ts";

export interface Recorded extends Stream {
  records(): AsyncIterable<SessionRecord>;
}

export interface Survey {
  /** By record: the sum of its entries' signatures. */
  kept: Map<number, number>;
  /** By record: what its entries say beside their content. */
  facts: Map<number, Facts>;
  /** By record: token counts that are not the recorded ones. */
  usages: Map<number, Usage>;
  /** By the record of their boundary. */
  compactions: Map<number, Compaction>;
  /** Entries without a record, by the record they come after; END for those that come last. */
  added: Map<number, Entry[]>;
  losses: Loss[];
}

interface Facts {
  entry: string;
  timestamp: string;
  model: string | undefined;
}

export const END = Number.POSITIVE_INFINITY;

/** `inside`: the subagents whose records stand in the same file. */
export async function surveyOf(stream: Recorded, inside: readonly Stream[]): Promise<Survey> {
  const survey: Survey = {
    kept: new Map(),
    facts: new Map(),
    usages: new Map(),
    compactions: new Map(),
    added: new Map(),
    losses: [],
  };
  const usages = new Map<string, { usage: Usage; entry: string }>();
  const additions = await look(stream, survey, usages);
  if (additions.length > 0) survey.added.set(END, additions);
  for (const child of inside) {
    const own: Survey = { ...survey, added: new Map() };
    const last = await look(child, own, usages);
    for (const entry of [...own.added.values(), last].flat())
      survey.losses.push(
        loss("edit_ignored", { entry: entry.id }, "a new entry of a subagent in the same file"),
      );
  }
  if (usages.size > 0) await compareUsage(stream, survey, usages);
  return survey;
}

type Usages = Map<string, { usage: Usage; entry: string }>;

async function look(stream: Stream, survey: Survey, usages: Usages): Promise<Entry[]> {
  let last = -1;
  let additions: Entry[] = [];
  for await (const entry of stream.entries()) {
    const own = entry.records?.at(-1);
    if (own === undefined) {
      additions.push(entry);
      continue;
    }
    if (additions.length > 0) survey.added.set(last, [...(survey.added.get(last) ?? []), ...additions]);
    additions = [];
    for (const index of entry.records ?? []) if (!survey.kept.has(index)) survey.kept.set(index, 0);
    survey.kept.set(own, (survey.kept.get(own) ?? 0) + signature(entry));
    const { id, timestamp, model, turn, usage } = entry;
    if (!survey.facts.has(own)) survey.facts.set(own, { entry: id, timestamp, model });
    if (entry.type === "compaction") survey.compactions.set(entry.records?.[0] ?? own, entry);
    if (turn !== undefined && usage) usages.set(turn, { usage, entry: id });
    last = Math.max(last, own);
  }
  return additions;
}

/** A message's counts are those of its last line, which may have no entry of its own: the records must tell. */
async function compareUsage(stream: Recorded, survey: Survey, usages: Usages): Promise<void> {
  const recorded = new Map<string, { usage: Usage; index: number }>();
  for await (const raw of stream.records()) {
    if (raw.encoding !== undefined || !raw.raw.includes('"usage"')) continue;
    const value = parsed(raw);
    const message = isObject(value?.message) ? value.message : value;
    const usage = usageOf(message?.usage, value?.costUSD);
    const turn = filled(message?.id) ?? filled(value?.uuid) ?? `r${raw.index}`;
    if (usage && value?.type === "assistant") recorded.set(turn, { usage, index: raw.index });
  }
  for (const [turn, { usage, entry }] of usages) {
    const known = recorded.get(turn);
    if (!known) survey.losses.push(loss("edit_ignored", { entry }, "token counts where none were recorded"));
    else if (!isDeepStrictEqual(plain(known.usage), plain(usage))) survey.usages.set(known.index, usage);
  }
}

/** Without fields that are there but not set. */
function plain(usage: Usage): unknown {
  return JSON.parse(JSON.stringify(usage));
}

export function parsed({ raw, encoding }: SessionRecord): Json | undefined {
  if (encoding !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(raw.replace(/^[\uFEFF\0\s]+|[\0\s]+$/g, ""));
    return isObject(value) ? value : undefined;
  } catch {
    // Damaged lines are copied as they are.
    return undefined;
  }
}
