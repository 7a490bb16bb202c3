// Goes on in a rollout that is there: where its ordinals and turns stand, and which ids are taken.
import { batchesOf } from "../../session/batches.ts";
import type { Stream } from "../../session/source.ts";
import { readRecords } from "../../storage/records.ts";
import type { Onto, SessionRef, Target, Written } from "../adapter.ts";
import { tally } from "../tally.ts";
import { inStyle } from "./additions.ts";
import { closeTurn, newWriting, type Thread, writeEntries } from "./compose.ts";
import { turnAfter } from "./copy.ts";
import { callIds, derivedId } from "./ids.ts";
import { lines } from "./lines.ts";
import { count, isObject, recordOf, word } from "./native.ts";
import { metaOf } from "./paths.ts";

interface End {
  isPaginated: boolean;
  /** The ordinal that was written last. */
  ordinal: number;
  /** The turn that was never closed. */
  turn: string | undefined;
  calls: Set<string>;
  /** Whether the last line has its newline. */
  isClosed: boolean;
  size: number;
}

/** Codex resumes no thread from its archive, nor one of the two oldest generations. */
export async function canExtend({ path, files }: SessionRef): Promise<boolean> {
  if (!path.endsWith(".jsonl") || path.includes("/archived_sessions/")) return false;
  const meta = await metaOf(path, files[0]?.size ?? 0);
  return word(meta?.id) !== undefined && meta?.cwd !== undefined;
}

/** The new entries as lines behind those that are there. */
export async function* extended(
  stream: Stream,
  target: Target,
  thread: Thread,
  onto: Onto,
): AsyncGenerator<readonly Written[]> {
  const end = await endOf(onto);
  const losses = tally();
  const writing = {
    ...newWriting(stream, target, thread),
    out: lines(thread.file, thread.id, target.now, end.ordinal + 1),
    calls: callIds((id) => end.calls.has(id)),
    // None of those that are there, which may be ours as well.
    turnIds: derivedId(thread.id, `turns from ${end.size}`).slice(0, -12),
    items: end.ordinal + 1,
    turn: end.turn,
  };
  const pieces: Written[] = [];
  closeTurn(writing, pieces);
  if (!end.isClosed) pieces.unshift({ type: "record", file: thread.file, bytes: "\n", says: [] });
  yield pieces.flatMap((written) => [...inStyle(written, end.isPaginated)]);
  for await (const batch of batchesOf(writeEntries(stream, writing)))
    yield batch
      .filter((written) => written.type === "record" || losses.add(written.loss))
      .flatMap((written) => [...inStyle(written, end.isPaginated)]);
  yield [...losses.finish()];
}

async function endOf({ ref }: Onto): Promise<End> {
  const end: End = {
    isPaginated: false,
    ordinal: -1,
    turn: undefined,
    calls: new Set(),
    isClosed: true,
    size: ref.files[0]?.size ?? 0,
  };
  for await (const batch of readRecords(ref.path)) {
    for (const { value, terminated } of batch) {
      end.isClosed = terminated;
      const record = recordOf(value);
      if (!record || !isObject(record.payload)) continue;
      const { type, payload, ordinal } = record;
      if (type === "session_meta") end.isPaginated ||= payload.history_mode === "paginated";
      end.ordinal = Math.max(end.ordinal, count(ordinal) ?? -1);
      if (type === "event_msg") end.turn = turnAfter(end.turn, payload);
      const call = type === "response_item" ? word(payload.call_id) : undefined;
      if (call !== undefined) end.calls.add(call);
    }
  }
  return end;
}
