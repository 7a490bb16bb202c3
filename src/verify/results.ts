// Judges what came back from a tool: it must answer the very call it answered in the session, with its text,
// its images and its success.
import type { Loss } from "../session/losses.ts";
import { type Asked, type Item, locate, remainder, use } from "./asked.ts";
import type { Verdict } from "./compare.ts";
import { isNoteOf, isSplit } from "./excuses.ts";
import { type Fact, fingerprint } from "./facts.ts";

type Inside = Extract<Fact, { type: "result" | "image" | "document" }>;

export function resultVerdict(
  fact: Inside,
  calls: readonly Item[],
  wire: Asked,
  losses: readonly Loss[],
): Verdict {
  const answers = calls.flatMap((call) =>
    call.block.type === "tool_use" ? (wire.results.get(call.block.id) ?? []) : [],
  );
  if (fact.type !== "result") return mediaVerdict(fact, answers, wire);
  if (isSplit(fact.callId, losses)) useStepNotes(answers);
  return textVerdict(fact, answers, wire, losses);
}

/** The answers to the further steps of a split call refer to the first, and say nothing else. */
function useStepNotes(answers: readonly Item[]): void {
  for (const [at, answer] of answers.entries()) {
    const [, step, total] = /^\[Step (\d+) of (\d+) of one call; [^\]\n]*\]$/.exec(answer.text) ?? [];
    if (at > 0 && Number(step) === at + 1 && Number(total) === answers.length) use(answer);
  }
}

function textVerdict(
  fact: Extract<Fact, { type: "result" }>,
  answers: readonly Item[],
  wire: Asked,
  losses: readonly Loss[],
): Verdict {
  const missing = fact.texts.filter((text) => !claim(text, answers));
  for (const text of fact.documents) claim(text.trim(), answers);
  const more = answers.filter(
    (answer) => !isExplained(fact, answer, losses) || !holdsOnly(fact.media, answer),
  );
  // Said here, so that it need not be said again of a stranger.
  for (const answer of answers) use(answer, 0, 0);
  if (missing.length === 0 && more.length > 0)
    return { type: "changed", reason: "its result says more than was recorded" };
  if (missing.length === 0 && answers.length > 0) return flagVerdict(fact, answers, wire);
  const elsewhere = wire.items.find(
    (item) => missing.length > 0 && missing.every((text) => item.text.includes(text)),
  );
  if (elsewhere) {
    use(elsewhere);
    const where =
      elsewhere.block.type === "tool_result" ? "the result of another call" : elsewhere.block.type;
    return { type: "changed", reason: `a result became ${where}` };
  }
  if (answers.length === 0) return { type: "lost", reason: "its call has no result" };
  if (missing.length < fact.texts.length)
    return { type: "changed", reason: "a part of the result is not there" };
  return { type: "lost", reason: "the call has another result" };
}

/** Whether nothing is left of an answer but notes for what was announced as left out, one for each. */
function isExplained(fact: Fact, answer: Item, losses: readonly Loss[]): boolean {
  const left = losses.filter(({ at }) => at.entry === fact.entry);
  return remainder(answer)
    .split("\n")
    .every((line) => {
      if (line.trim() === "") return true;
      const at = left.findIndex((loss) => isNoteOf(line.trim(), loss));
      return at !== -1 && left.splice(at, 1).length === 1;
    });
}

function holdsOnly(media: readonly string[], { block }: Item): boolean {
  if (block.type !== "tool_result") return true;
  const files = block.blocks.filter(({ type }) => type !== "text");
  return files.every((file) => ("data" in file || "url" in file ? media.includes(fingerprint(file)) : false));
}

function flagVerdict(fact: { success: boolean }, answers: readonly Item[], wire: Asked): Verdict {
  if (!wire.may.failure) return { type: "kept" };
  const failed = answers.some(({ block }) => block.type === "tool_result" && block.error === true);
  if (failed !== fact.success) return { type: "kept" };
  return { type: "changed", reason: failed ? "a success became a failure" : "a failure became a success" };
}

function claim(text: string, answers: readonly Item[]): boolean {
  for (const answer of answers) {
    const at = locate(answer, text);
    if (at === -1) continue;
    use(answer, at, text.length);
    return true;
  }
  return false;
}

function mediaVerdict(
  fact: Extract<Fact, { type: "image" | "document" }>,
  answers: readonly Item[],
  wire: Asked,
): Verdict {
  const holds = (item: Item) =>
    item.block.type === "tool_result" &&
    item.block.blocks.some((block) => block.type === fact.type && fingerprint(block) === fact.bytes);
  if (answers.some(holds)) return { type: "kept" };
  const behind = wire.may.files ? undefined : fileBehind(fact, answers, wire);
  if (behind) {
    use(behind);
    return { type: "kept" };
  }
  const words = fact.text?.trim();
  if (words !== undefined && answers.some(({ text }) => text.includes(words)))
    return { type: "changed", reason: "a document became text", by: ["part_converted"] };
  const beside = wire.items.find(
    ({ block, used }) => used.length === 0 && block.type === fact.type && fingerprint(block) === fact.bytes,
  );
  if (beside) {
    use(beside);
    return { type: "changed", reason: `${fact.type} of a result became one of the ${beside.role}` };
  }
  return { type: "lost", reason: `its result holds no such ${fact.type}` };
}

/** A file that follows the answer, with nothing in between but further results and their files. */
function fileBehind(
  fact: Extract<Fact, { type: "image" | "document" }>,
  answers: readonly Item[],
  wire: Asked,
): Item | undefined {
  for (const answer of answers) {
    for (const item of wire.items.slice(answer.at + 1)) {
      const { type } = item.block;
      if (item.role !== "user" || !["tool_result", "image", "document"].includes(type)) break;
      const isIt = item.block.type === fact.type && fingerprint(item.block) === fact.bytes;
      if (isIt && item.used.length === 0) return item;
    }
  }
  return undefined;
}
