// Adds to a session that is there: new messages at the end of its log, and the time of now.
import { closeSync, openSync, readSync } from "node:fs";
import { loss } from "../../session/losses.ts";
import type { Stream } from "../../session/source.ts";
import { readRecords } from "../../storage/records.ts";
import type { Onto, SessionRef, Target, Written } from "../adapter.ts";
import { filled } from "../json.ts";
import { compose, line } from "./compose.ts";
import { callsIn, listIn, type Message, membersOf, piecesOf, recordOf, toolCallsOf } from "./native.ts";
import { isOneFile } from "./one-file.ts";

/** A session of the first generation is one object; nothing can be added to its end. */
export async function canExtend(ref: SessionRef): Promise<boolean> {
  return !(await isOneFile(ref.path));
}

export async function* extension(
  stream: Stream,
  target: Target,
  { ref }: Onto,
): AsyncGenerator<readonly Written[]> {
  // Without a newline at its end, the file's last line and the first new one would both be lost.
  const isEnded = endsInNewline(ref);
  if (!isEnded) yield [{ type: "record", file: "main", bytes: "\n", says: [] }];
  for await (const child of stream.children())
    yield [{ type: "loss", loss: loss("subagent_dropped", {}, child.header.title ?? child.header.id) }];
  const taken = await callIdsIn(ref.path);
  const salt = `after ${ref.files[0]?.size ?? 0} `;
  yield* compose(stream, target, { id: target.originalId, file: "main", agents: new Map(), taken, salt });
  yield [line("main", { $set: { lastUpdated: target.now.toISOString() } })];
}

function endsInNewline({ path, files: [main] }: SessionRef): boolean {
  if (!main || main.size === 0) return true;
  const file = openSync(path, "r");
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, main.size - 1);
    return last[0] === 10;
  } finally {
    closeSync(file);
  }
}

async function callIdsIn(path: string): Promise<Set<string>> {
  const found = new Set<string>();
  const add = (message: Message) => {
    for (const { id } of [...toolCallsOf(message), ...callsIn(piecesOf(message.content))])
      if (filled(id) !== undefined) found.add(String(id));
  };
  for await (const batch of readRecords(path, { shrink: true }))
    for (const { value } of batch) {
      const record = recordOf(value);
      if (record?.type === "message") add(record.message);
      const held = record && listIn(record);
      for (const [, message] of held ? membersOf(held.list) : []) add(message);
    }
  return found;
}
