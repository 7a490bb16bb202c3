// What a writer announced, and what of it may be the reason for something that is not there. A loss excuses
// only what it names, on the entry it names.
import type { Loss, LossName } from "../session/losses.ts";
import type { Verdict } from "./compare.ts";
import type { Fact } from "./facts.ts";

type Failure = Exclude<Verdict, { type: "kept" }>;

/** By what a fact is and what became of it. */
const MAY_BE_LOST: Readonly<Record<Fact["type"], readonly LossName[]>> = {
  text: ["text_dropped"],
  thinking: ["thinking_dropped", "thinking_converted"],
  call: ["call_dropped"],
  result: ["call_dropped", "result_dropped", "result_orphaned"],
  image: ["image_dropped", "call_dropped", "result_dropped", "result_orphaned"],
  document: ["document_dropped", "call_dropped", "result_dropped", "result_orphaned"],
};

export function excuse(fact: Fact, failure: Failure, losses: readonly Loss[]): LossName | undefined {
  const kinds = failure.type === "lost" ? MAY_BE_LOST[fact.type] : (failure.by ?? []);
  return losses.find((loss) => kinds.includes(loss.kind) && concerns(loss, fact))?.kind;
}

function concerns(loss: Loss, fact: Fact): boolean {
  return isAt(loss, fact.entry) || ("callId" in fact && isAt(loss, fact.callId));
}

/** A loss that was gathered names every entry it stands for. */
function isAt({ at }: Loss, entry: string | undefined): boolean {
  return entry !== undefined && (at.entry === entry || (at.entries?.includes(entry) ?? false));
}

/** The loss which says that an argument has no place in the target's tool. */
export function argumentLoss(fact: Fact, name: string, losses: readonly Loss[]): Loss | undefined {
  return losses.find(
    (loss) =>
      loss.kind === "tool_argument_dropped" &&
      concerns(loss, fact) &&
      loss.detail.split(/[^\w]+/).includes(name),
  );
}

/** Whether it was said that this very call became several. */
export function isSplit(callId: string, losses: readonly Loss[]): boolean {
  return losses.some((loss) => loss.kind === "tool_split" && isAt(loss, callId));
}

const NOTE = /^\[(Image|Document):? ([^\n]*)\]$/;

/** Whether a text is the note that stands for an image or a document which was announced as left out. */
export function isNoteOf(text: string, loss: Loss): boolean {
  const [, kind, what = ""] = NOTE.exec(text) ?? [];
  if (kind === undefined || loss.kind !== `${kind.toLowerCase()}_dropped`) return false;
  return loss.detail === what || loss.detail.endsWith(`: ${what}`);
}
