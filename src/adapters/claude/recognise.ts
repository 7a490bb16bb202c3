// Tells from the first records whether a file is a Claude Code session: a native one of any version, a saved
// stream-json output, or a simplified transcript.
import type { SessionRef } from "../adapter.ts";
import { headOf } from "../folder.ts";
import { isObject, type Json, SIDE_RECORDS } from "./native.ts";
import { refOf } from "./paths.ts";

const LOOKED_AT = 256 << 10;

export async function recognise(path: string): Promise<SessionRef | undefined> {
  const records = firstRecords(headOf(path, LOOKED_AT));
  if (!records.some((record) => isNative(record)) && !isSimplified(records)) return undefined;
  return refOf(path);
}

function firstRecords(head: string): Json[] {
  return head
    .split("\n")
    .slice(0, 50)
    .flatMap((line) => {
      try {
        const value: unknown = JSON.parse(line);
        return isObject(value) ? [value] : [];
      } catch {
        // A damaged line, a comment, or the end of what was read.
        return [];
      }
    });
}

function isNative(record: Json): boolean {
  const { type } = record;
  if (type === "user" || type === "assistant" || type === "attachment" || type === "system") {
    if (isObject(record.message) && record.payload === undefined) return true;
    const threaded = typeof record.uuid === "string" && record.parentUuid !== undefined;
    return (
      threaded || (type === "system" && record.subtype === "init" && typeof record.session_id === "string")
    );
  }
  if (type === "summary") return typeof record.leafUuid === "string";
  return typeof type === "string" && SIDE_RECORDS.has(type) && typeof record.sessionId === "string";
}

/** Lines such as `{"type":"user","content":"Hello"}`; entries of the universal format have ids. */
function isSimplified(records: readonly Json[]): boolean {
  const said = records.filter(({ type }) => type === "user" || type === "assistant");
  return said.length > 0 && said.every((record) => record.id === undefined && record.content !== undefined);
}
