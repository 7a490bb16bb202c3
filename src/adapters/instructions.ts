// The mark of instructions in agents that have no place for them: they are told as a hidden message in the user's role,
// and a field of ours beside it says what they are, so that they are instructions again for whoever goes on elsewhere.
import type { Entry, SystemEntry } from "../session/session.ts";
import { isObject, type Json } from "./json.ts";

/** The field, to be put into the agent's own record. */
export const INSTRUCTIONS_MARK = { baton: { system: true } } as const;

/** Whether an entry is the session's own instructions: neither a note nor what an agent tells of itself. */
export function isInstructions(entry: Entry): entry is SystemEntry {
  return entry.type === "system" && !entry.injected && !entry.note;
}

/** Whether a record bears the mark. */
export function hasInstructionsMark({ baton }: Json): boolean {
  return isObject(baton) && baton.system === true;
}
