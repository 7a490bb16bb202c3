// Goes on in a session file that is there: which record the new ones follow, and which ids are taken.
import { BatonError } from "../../session/error.ts";
import type { ToolCall } from "../../session/session.ts";
import { readRecords } from "../../storage/records.ts";
import type { Onto, SessionRef } from "../adapter.ts";
import { isStore } from "./legacy-store.ts";
import { blocksOf, filled, isObject, type Json } from "./native.ts";
import { open as openSession } from "./open.ts";
import { fold } from "./read.ts";

export interface OpenCall {
  call: ToolCall;
  /** Of its record. */
  uuid: string;
}

export interface End {
  /** The record that the next one follows. */
  parent: string | null;
  branch: string;
  /** Ids of all calls in the file, on whatever branch: results are joined with calls by them. */
  calls: Set<string>;
  /** Calls of the message at the end that have no results: Claude Code would not send them any more. */
  open: readonly OpenCall[];
  /** Whether the last line has its newline. */
  isClosed: boolean;
}

/** The old database takes no lines, and what has no uuid cannot be followed. */
export async function canExtend(ref: SessionRef): Promise<boolean> {
  if (isStore(ref.path) || ref.thread !== undefined) return false;
  return (await findEnd({ ref })) !== undefined;
}

export async function endOf(onto: Onto): Promise<End> {
  const end = await findEnd(onto);
  if (end) return end;
  throw new BatonError(
    "refused",
    `${onto.ref.path} holds no record that new ones could follow.`,
    "`baton resume SESSION --in claude` makes a new session instead.",
  );
}

async function findEnd({ ref, after }: Onto): Promise<End | undefined> {
  const { header, skeleton } = await openSession(ref);
  const newest = skeleton.head === -1 ? undefined : skeleton.id(skeleton.head);
  const wanted = after === undefined ? newest : after;
  const end = { branch: header.project.git?.branch ?? "", calls: new Set<string>(), isClosed: true };
  let parent: string | null | undefined = after === null ? null : undefined;
  let turn: string | undefined;
  /** Of the newest message with calls. */
  let calling: string | undefined;
  const open = new Map<string, OpenCall>();
  const state = fold.initial(ref);
  for await (const batch of readRecords(ref.path)) {
    for (const record of batch) {
      const value = isObject(record.value) ? record.value : {};
      for (const id of callsIn(value)) end.calls.add(id);
      for (const folded of fold.step(state, record)) {
        if (folded.type !== "entry") continue;
        const { entry } = folded;
        if (entry.type === "tool_call") calling = entry.turn;
        if (entry.type === "tool_call") open.set(entry.id, { call: entry, uuid: filled(value.uuid) ?? "" });
        if (entry.type === "tool_result") open.delete(entry.callId);
        if (entry.id !== wanted) continue;
        parent = filled(value.uuid);
        // One of several calls may have its result.
        turn = entry.type === "tool_result" ? calling : entry.turn;
      }
      end.isClosed = record.terminated;
    }
  }
  if (parent === undefined) return undefined;
  const unanswered = [...open.values()].filter(({ call }) => turn !== undefined && call.turn === turn);
  return { ...end, parent, open: unanswered };
}

function callsIn({ type, message }: Json): string[] {
  if (type !== "assistant" || !isObject(message)) return [];
  return blocksOf(message.content).flatMap((block) =>
    block.type === "tool_use" ? (filled(block.id) ?? []) : [],
  );
}
