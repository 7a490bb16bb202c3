// Judges what came back from a tool: it must answer the very call it answered in the session, with its text,
// its images and its success.
import { type Asked, type Item, locate, use } from "./asked.ts";
import type { Verdict } from "./compare.ts";
import { type Fact, fingerprint } from "./facts.ts";

type Inside = Extract<Fact, { type: "result" | "image" | "document" }>;

export function resultVerdict(fact: Inside, calls: readonly Item[], wire: Asked): Verdict {
  const answers = calls.flatMap((call) =>
    call.block.type === "tool_use" ? (wire.results.get(call.block.id) ?? []) : [],
  );
  return fact.type === "result" ? textVerdict(fact, answers, wire) : mediaVerdict(fact, answers, wire);
}

function textVerdict(
  fact: Extract<Fact, { type: "result" }>,
  answers: readonly Item[],
  wire: Asked,
): Verdict {
  const missing = fact.texts.filter((text) => !claim(text, answers));
  // The answers to the parts of a split call are accounted for by the call itself.
  for (const answer of answers) use(answer, 0, 0);
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

function flagVerdict(fact: { success: boolean }, answers: readonly Item[], wire: Asked): Verdict {
  if (!wire.hasErrorFlag) return { type: "kept" };
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
  const beside = wire.items.find(
    ({ block, used }) => used.length === 0 && block.type === fact.type && fingerprint(block) === fact.bytes,
  );
  if (beside) {
    use(beside);
    return { type: "changed", reason: `${fact.type} of a result became one of the ${beside.role}` };
  }
  return { type: "lost", reason: `its result holds no such ${fact.type}` };
}
