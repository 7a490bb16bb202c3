// Compaction: a boundary record, then a summary, become one entry. The boundary says which earlier records stay
// visible: as a list, as the two ends of a run, or both.
import type { Entry } from "../../session/session.ts";
import { contentOf } from "./blocks.ts";
import { type ClaudeRecord, filled, isObject } from "./native.ts";
import { type Boundary, contentBlocks, type Line, OFF } from "./state.ts";

export function boundaryRecord(line: Line): void {
  const { state, value, record } = line;
  endBoundary(line);
  const kept = keptBy(value);
  state.boundary = {
    uuid: line.id,
    parent: filled(value.logicalParentUuid) ?? filled(value.parentUuid) ?? null,
    time: line.time,
    record: record.index,
    keeps: kept.keeps ?? null,
    run: kept.run ?? null,
  };
  // Anchored to the boundary itself, what is kept stands before the summary, which is then a plain message.
  if (kept.anchor === line.id) endBoundary(line);
}

/** What a boundary says it keeps, and where. */
export function keptBy({
  compactMetadata,
}: ClaudeRecord): Partial<Pick<Boundary, "keeps" | "run">> & { anchor?: string } {
  if (!isObject(compactMetadata)) return {};
  const { preservedMessages: list, preservedSegment: segment } = compactMetadata;
  if (isObject(list) && Array.isArray(list.uuids)) {
    const keeps = list.uuids.filter((uuid) => typeof uuid === "string");
    return { keeps, anchor: filled(list.anchorUuid) };
  }
  if (!isObject(segment)) return {};
  const from = filled(segment.headUuid);
  const to = filled(segment.tailUuid);
  return from === undefined || to === undefined
    ? {}
    : { run: { from, to }, anchor: filled(segment.anchorUuid) };
}

/** The summary that belongs to the open boundary. */
export function summaryRecord(line: Line, boundary: Boundary): void {
  const { message } = line.value;
  const summary = contentOf(
    contentBlocks(line, isObject(message) ? message.content : line.value.content),
  ).text;
  line.state.boundary = null;
  emit(line, boundary, { id: line.id, summary, records: [boundary.record, line.record.index] });
  line.out.push({ type: "link", id: boundary.uuid, parent: line.id, alias: true });
}

/** A boundary without a summary: what came before is gone for the model, and nothing stands in for it. */
export function endBoundary(line: Line): void {
  const { boundary } = line.state;
  line.state.boundary = null;
  if (boundary) emit(line, boundary, { id: boundary.uuid, records: [boundary.record] });
}

type Own = Pick<Extract<Entry, { type: "compaction" }>, "id" | "summary" | "records">;

function emit(line: Line, boundary: Boundary, own: Own): void {
  const { state } = line;
  const follows = boundary.parent === null || boundary.parent === state.tail;
  line.out.push({
    type: "entry",
    entry: {
      type: "compaction",
      timestamp: boundary.time,
      ...(!follows && { parent: boundary.parent }),
      ...(boundary.keeps && { keeps: boundary.keeps }),
      ...own,
    },
    ...(boundary.run && { keepsRun: boundary.run }),
  });
  state.tail = state.tail === OFF && follows ? OFF : own.id;
}
