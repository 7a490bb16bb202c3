// The texts of a session on their way into the index, each with what it is about.
import type { Entry } from "../../session/session.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { newBeside } from "./beside.ts";
import { filesOf, textsOf, toolOf } from "./texts.ts";

/** A text on its way into the index. */
export interface Doc {
  position: number;
  /** The entry's id. */
  entry: string;
  scope: number;
  tool?: string | undefined;
  file?: string | undefined;
  /** The native record. */
  record: number;
  offset: number;
  length: number;
  /** As UTF-8. */
  text: Uint8Array;
  /** Of a record that is not complete yet and will be read again. */
  passing: boolean;
}

/** Keeps a text until its piece is stored. */
export type Put = (text: string) => Uint8Array;

/** Where a record stands. */
export type Place = Pick<NativeRecord, "index" | "offset" | "length">;

/** A call without a result so far: its tool and files. */
export type OpenCall = [id: string, tool: string, file?: string | null];

const OPEN_CALLS = 200;

/**
 * Texts with the tool and the files that they are about: a result does not say, its call does. `put`: absent when no
 * words are wanted.
 */
export function newDocs(
  beside: ReturnType<typeof newBeside>,
  put: Put | undefined,
  open: readonly OpenCall[] = [],
) {
  const calls = new Map<string, About>(
    open.map(([id, tool, file]) => [id, { tool, file: file ?? undefined }]),
  );
  let docs: Doc[] = [];
  let size = 0;
  return {
    size: () => size,
    calls: (): OpenCall[] => [...calls].slice(-OPEN_CALLS).map(([id, { tool, file }]) => [id, tool, file]),
    /** Whether it may be a result without a call: none that waits for one is known. */
    isOrphan: (entry: Entry) => entry.type === "tool_result" && !calls.has(entry.callId),
    add(entry: Entry, position: number, { index, offset, length }: Place, passing: boolean) {
      // A list only wants to know which calls have been made.
      if (entry.type === "tool_call") calls.set(entry.id, put ? aboutOf(entry) : NOTHING);
      const about = calls.get(callOf(entry) ?? "");
      // A record that is read again may be the result once more.
      if (entry.type === "tool_result" && !passing) calls.delete(entry.callId);
      if (!put) return;
      const { id } = entry;
      const { tool, file } = about ?? NO_CALL;
      if (beside.isOpen) beside.entry(entry, { position, entry: id, tool, passing });
      for (const { scope, text: said } of textsOf(entry)) {
        const text = put(said);
        docs.push({ position, entry: id, scope, tool, file, record: index, offset, length, text, passing });
        size += said.length;
      }
    },
    addBeside() {
      for (const doc of put ? beside.docs(put) : []) {
        docs.push(doc);
        size += doc.text.length;
      }
    },
    take(): Doc[] {
      const taken = docs;
      docs = [];
      size = 0;
      return taken;
    },
  };
}

interface About {
  tool: string;
  file: string | undefined;
}

const NOTHING: About = { tool: "", file: undefined };
const NO_CALL: Partial<About> = {};

function aboutOf(call: Extract<Entry, { type: "tool_call" }>): About {
  return { tool: toolOf(call), file: filesOf(call) };
}

function callOf(entry: Entry): string | undefined {
  if (entry.type === "tool_call") return entry.id;
  return entry.type === "tool_result" ? entry.callId : undefined;
}
