// Edits of what stands beside the content of an entry: its time, model and token counts, what a compaction keeps,
// the folder. Each goes into the field that holds it.
import { type Loss, loss } from "../../session/losses.ts";
import type { Compaction, Entry, Usage } from "../../session/session.ts";
import { keptBy } from "./compaction.ts";
import { filled, isObject, type Json } from "./native.ts";
import type { ClaudeState } from "./state.ts";
import { timeOf } from "./state.ts";
import type { Survey } from "./survey.ts";

/** Which record says an entry and what it follows, as far as the file was copied. */
export interface Places {
  /** By entry: the uuid of its record. */
  records: Map<string, string>;
  /** By uuid. */
  parents: Map<string, string | null>;
  withEntry: Set<string>;
}

export function newPlaces(): Places {
  return { records: new Map(), parents: new Map(), withEntry: new Set() };
}

export function notePlace(places: Places, value: Json | undefined, entries: readonly Entry[]): void {
  const uuid = filled(value?.uuid);
  if (uuid === undefined) return;
  places.parents.set(uuid, filled(value?.parentUuid) ?? null);
  for (const { id } of entries) places.records.set(id, uuid);
  if (entries.length > 0) places.withEntry.add(uuid);
}

export interface Context {
  survey: Survey;
  places: Places;
  /** After this record. */
  state: ClaudeState;
  /** The session's folder as the stream names it. */
  path: string;
  losses: Loss[];
}

/** The fields of a record that the stream has other values for; undefined when there are none. */
export function editedFields(
  value: Json,
  index: number,
  own: readonly Entry[],
  context: Context,
): Json | undefined {
  const { survey, state, path } = context;
  const compaction = survey.compactions.get(index);
  const moved = path !== "" && state.cwd !== "" && path !== state.cwd && value.cwd === state.cwd;
  const changed: Json = {
    ...editedTime(value, index, own, context),
    ...editedMessage(value, index, own, context),
    ...(compaction && editedKeeps(value, compaction, context)),
    ...(moved && { cwd: path }),
  };
  return Object.keys(changed).length > 0 ? changed : undefined;
}

function editedTime(
  value: Json,
  index: number,
  own: readonly Entry[],
  { survey, state, losses }: Context,
): Json {
  const compaction = survey.compactions.get(index);
  // A compaction has the time of its boundary, not of its summary.
  const before = compaction && own.length === 0 ? state.boundary?.time : own[0]?.timestamp;
  const isSummary = own[0]?.type === "compaction" && !compaction;
  const now = compaction?.timestamp ?? (isSummary ? undefined : survey.facts.get(index)?.timestamp);
  // Records without any time have one that is not known here.
  if (!now || !before || now === before) return {};
  if (timeOf(now) === undefined) {
    losses.push(loss("edit_ignored", { record: index }, `${now} is no time`));
    return {};
  }
  return { timestamp: typeof value.timestamp === "number" ? Date.parse(now) : now };
}

/** The model and the token counts stand in the message. */
function editedMessage(value: Json, index: number, own: readonly Entry[], { survey, losses }: Context): Json {
  const facts = survey.facts.get(index);
  const usage = survey.usages.get(index);
  const isRenamed = facts !== undefined && own.length > 0 && facts.model !== own[0]?.model;
  const model = isRenamed && value.type === "assistant" ? facts.model : undefined;
  if (isRenamed && model === undefined)
    losses.push(loss("edit_ignored", { entry: facts.entry }, "the model of something that names none"));
  const isPriced = typeof value.costUSD === "number";
  if (usage?.cost !== undefined && !isPriced)
    losses.push(loss("edit_ignored", { record: index }, "a price where none was recorded"));
  if (model === undefined && !usage) return {};
  const fields = {
    ...(model !== undefined && { model }),
    ...(usage && { usage: nativeUsage(value, usage) }),
  };
  return {
    ...(isObject(value.message) ? { message: { ...value.message, ...fields } } : fields),
    ...(usage?.cost !== undefined && isPriced && { costUSD: usage.cost }),
  };
}

function nativeUsage(value: Json, usage: Usage): Json {
  const message = isObject(value.message) ? value.message : value;
  const before = isObject(message.usage) ? message.usage : {};
  const details = isObject(before.output_tokens_details) ? before.output_tokens_details : {};
  return {
    ...before,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
    ...(usage.reasoning !== undefined && {
      output_tokens_details: { ...details, thinking_tokens: usage.reasoning },
    }),
  };
}

/** A boundary lists the records that stay visible. */
function editedKeeps(value: Json, compaction: Compaction, { places, losses }: Context): Json {
  // Without a summary record of its own there is nowhere to put one.
  if (value.subtype === "compact_boundary" && compaction.records?.length === 1 && compaction.summary)
    losses.push(loss("edit_ignored", { entry: compaction.id }, "the summary of a boundary that has none"));
  const before = keptBefore(value, places);
  const keeps = compaction.keeps ?? [];
  const now = new Set(keeps.flatMap((id) => places.records.get(id) ?? []));
  if (before === undefined || (before.size === now.size && before.isSubsetOf(now))) return {};
  const missing = keeps.filter((id) => !places.records.has(id));
  if (missing.length > 0)
    losses.push(
      loss("edit_ignored", { entry: compaction.id }, `it cannot keep ${missing.slice(0, 5).join(", ")}`),
    );
  const { preservedMessages: _, preservedSegment: __, ...rest } = metadataOf(value);
  const anchorUuid = keptBy(value).anchor ?? compaction.id;
  const uuids = [...now];
  return {
    compactMetadata: {
      ...rest,
      ...(uuids.length > 0 && { preservedMessages: { anchorUuid, uuids, allUuids: uuids } }),
    },
  };
}

function metadataOf(value: Json): Json {
  return isObject(value.compactMetadata) ? value.compactMetadata : {};
}

/** The records that the boundary kept so far; undefined when its ends do not meet. */
function keptBefore(value: Json, { parents, withEntry }: Places): Set<string> | undefined {
  const { keeps, run } = keptBy(value);
  if (!run) return new Set((keeps ?? []).filter((uuid) => withEntry.has(uuid)));
  const found = new Set<string>();
  let at: string | null = run.to;
  while (at !== null && !found.has(at)) {
    found.add(at);
    if (at === run.from) return new Set([...found].filter((uuid) => withEntry.has(uuid)));
    at = parents.get(at) ?? null;
  }
  return undefined;
}
