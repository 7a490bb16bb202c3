// Lines of rows as the file that `opencode import` takes: {info, messages: [{info, parts}]}.
import type { RowLine } from "../../storage/rows.ts";
import type { WrittenRecord } from "../adapter.ts";
import { type Importable, newImport } from "./importable.ts";
import { columnObject, isObject, type JsonObject, objectOf, word } from "./native.ts";

/** Subagents are sessions of their own, and a file holds one session. */
export async function* exchange(records: AsyncIterable<WrittenRecord>): AsyncGenerator<string> {
  yield* exportPieces(mainLines(records));
}

async function* mainLines(records: AsyncIterable<WrittenRecord>): AsyncGenerator<RowLine> {
  for await (const { file, bytes } of records)
    if (file === "main") yield JSON.parse(Buffer.from(bytes as string).toString("utf8")) as RowLine;
}

/** The text of the file in pieces, a message each. */
export async function* exportPieces(lines: AsyncIterable<RowLine>): AsyncGenerator<string> {
  let separator = "";
  const messages = newImport();
  const told = function* (ready: readonly Importable[]): Generator<string> {
    for (const message of ready) {
      yield `${separator}${JSON.stringify(message)}`;
      separator = ",\n";
    }
  };
  for await (const line of lines) {
    if (line.table === "session" && !line.set) {
      yield `{"info":${JSON.stringify(sessionInfo(line))},"messages":[`;
    } else if (line.table === "message") {
      const info = objectIn(line);
      const parts = (line.rows ?? []).filter(({ table }) => table === "part").map(objectIn);
      yield* told(messages.add({ info, parts }));
    }
  }
  yield* told(messages.finish());
  yield "]}\n";
}

/** What stands in columns in the database stands in the object here. */
function objectIn({ row, data }: RowLine): JsonObject {
  const { id: _, sessionID: __, messageID: ___, ...rest } = objectOf(data);
  return {
    ...rest,
    id: row.id,
    sessionID: row.session_id,
    ...(row.message_id !== undefined && { messageID: row.message_id }),
  };
}

function sessionInfo({ row, data }: RowLine): JsonObject {
  // It came from a file like this one.
  if (isObject(data)) return data;
  const { time_compacting, time_archived } = row;
  const summary = {
    additions: row.summary_additions,
    deletions: row.summary_deletions,
    files: row.summary_files,
  };
  const model = columnObject(row.model);
  return {
    id: row.id,
    slug: row.slug,
    projectID: row.project_id,
    directory: row.directory,
    ...(word(row.path) !== undefined && { path: row.path }),
    ...(word(row.parent_id) !== undefined && { parentID: row.parent_id }),
    ...(typeof row.summary_files === "number" && { summary }),
    title: row.title,
    ...(word(row.agent) !== undefined && { agent: row.agent }),
    ...(word(model.id) !== undefined && { model }),
    version: row.version,
    ...(isObject(parsedColumn(row.metadata)) && { metadata: parsedColumn(row.metadata) }),
    ...(word(row.revert) !== undefined && { revert: parsedColumn(row.revert) }),
    ...(word(row.permission) !== undefined && { permission: parsedColumn(row.permission) }),
    time: {
      created: row.time_created,
      updated: row.time_updated,
      ...(typeof time_compacting === "number" && { compacting: time_compacting }),
      ...(typeof time_archived === "number" && { archived: time_archived }),
    },
  };
}

function parsedColumn(value: unknown): unknown {
  if (typeof value !== "string") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    // Whatever it is, the import would refuse it.
    return undefined;
  }
}
