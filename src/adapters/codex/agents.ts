// Subagents of Codex's own: their threads keep their ids, by which the calls name them.
import type { Header } from "../../session/session.ts";
import type { Target, Written } from "../adapter.ts";
import { derivedId } from "./ids.ts";
import { idsOf, isUuid } from "./paths.ts";
import { baseOf, threadFile } from "./plan.ts";

/** The id of a thread that Codex made; undefined for the subagent of another agent. */
export function ownId({ source: { cli, originalId } }: Header): string | undefined {
  return cli === "codex" && originalId !== undefined && isUuid(originalId) ? originalId : undefined;
}

/** A subagent's thread is a session below the one that is written; the title is that one's alone. */
export function agentTarget({ title: _, onto: _onto, ...target }: Target, id: string): Target {
  return { ...target, originalId: id, parent: { originalId: target.originalId } };
}

/** What was written as a session of its own, in the file of a subagent. */
export async function* inItsFile(
  batches: AsyncIterable<readonly Written[]>,
  { originalId, now }: Target,
): AsyncGenerator<readonly Written[]> {
  let file = threadFile(originalId);
  for await (const batch of batches)
    yield batch.map((piece) => {
      if (piece.type === "loss") return piece;
      // A thread that was reverted goes on from a file that bears its id, and needs a newer one itself.
      if (idsOf(baseOf(piece.file) ?? "")?.rollout === originalId)
        file = threadFile(`${originalId}_${derivedId(timeOf(now), originalId)}`);
      return piece.file === "main" ? { ...piece, file } : piece;
    });
}

const timeOf = (now: Date): string => now.getTime().toString(16).padStart(12, "0");
