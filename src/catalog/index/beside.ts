// Long outputs that an agent keeps in files of their own, beside the session: their words belong to the result that
// names the file.
import { closeSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import type { FileRef, SessionRef } from "../../adapters/adapter.ts";
import type { Entry } from "../../session/session.ts";
import { SCOPES } from "../schema.ts";
import type { Doc, Put } from "./docs.ts";

/** In place of a record's number: the text stands in the file that `file` names. */
export const BESIDE = -1;

const PIECE = 1 << 20;
const OUTPUT = SCOPES.indexOf("tool_output");

type Owner = Pick<Doc, "position" | "entry" | "tool" | "passing">;

/** `read`: the names of those whose words are in the index already. */
export function newBeside({ files }: SessionRef, read: readonly string[] = []) {
  const known = new Set(read);
  const open = files.filter(({ role, path }) => role === "tool_result" && !known.has(basename(path)));
  const owners = new Map<string, Owner>();
  return {
    /** Whether there are files whose words are not in the index. */
    isOpen: open.length > 0,
    /** A file that no result has named yet waits for the one that will. */
    entry(entry: Entry, owner: Owner) {
      if (entry.type !== "tool_result") return;
      for (const { path } of open) if (entry.output.includes(basename(path))) owners.set(path, owner);
    },
    /** Once all entries have been seen. */
    *docs(put: Put): Generator<Doc> {
      for (const file of open) {
        const owner = owners.get(file.path);
        if (!owner) continue;
        yield* docsOf(file, owner, put);
        // What is read again comes again.
        if (!owner.passing) known.add(basename(file.path));
      }
    },
    names: (): string[] => [...known],
  };
}

function* docsOf({ path }: FileRef, owner: Owner, put: Put): Generator<Doc> {
  const file = openSync(path, "r");
  const bytes = Buffer.allocUnsafe(PIECE);
  try {
    for (let offset = 0; ; ) {
      const read = readSync(file, bytes, 0, PIECE, offset);
      if (read === 0) return;
      const length = read < PIECE ? read : wholeWords(bytes);
      const text = put(bytes.toString("utf8", 0, length));
      yield { ...owner, scope: OUTPUT, file: path, record: BESIDE, offset, length, text };
      offset += length;
    }
  } finally {
    closeSync(file);
  }
}

/** How many bytes end with a whole word. */
function wholeWords(bytes: Buffer): number {
  const end = Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf(" "));
  return end === -1 ? bytes.length : end + 1;
}
